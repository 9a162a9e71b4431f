"""How well the weakest text of a page can be read: the contrast of the accessibility guidelines.

Run inside the page; gives the lowest ratio of all texts that are shown, and which text that is.
"""

from __future__ import annotations

WEAKEST_CONTRAST = """() => {
  const light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).map(Number);
    const [red, green, blue] = parts.slice(0, 3).map((one) => {
      const share = one / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return { value: 0.2126 * red + 0.7152 * green + 0.0722 * blue, alpha: parts[3] ?? 1 };
  };
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const found = light(getComputedStyle(one).backgroundColor);
      if (found.alpha > 0.99) return found.value;
    }
    return 1;
  };
  let weakest = { ratio: 99 };
  for (const element of document.querySelectorAll("body *")) {
    const isShown = element.offsetParent && element.textContent.trim() && !element.children.length;
    if (!isShown || element.closest(".unseen, [hidden], dialog, :disabled")) continue;
    const [one, other] = [light(getComputedStyle(element).color).value, ground(element)];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const text = element.textContent.slice(0, 40);
    if (ratio < weakest.ratio) weakest = { ratio, text, of: element.className };
  }
  return weakest;
}"""
