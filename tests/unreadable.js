// Texts of a page whose contrast with what lies behind them is less than WCAG 2 (AA) asks for.
() => {
  const parse = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);

  const light = (colour) => {
    const linear = colour.map((part) =>
      part <= 0.04045 * 255 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };

  const over = (front, behind) => {
    const alpha = front.length > 3 ? front[3] : 1;
    return [0, 1, 2].map((part) => alpha * front[part] + (1 - alpha) * behind[part]);
  };

  const ground = (element) => {
    const own = parse(getComputedStyle(element).backgroundColor);
    return over(own, element.parentElement ? ground(element.parentElement) : [255, 255, 255]);
  };

  const hidden = (element, style) =>
    !element.getClientRects().length || style.visibility === "hidden" ||
    element.closest(".headerlink");

  const found = new Set();
  const main = document.querySelector("[role=main]");
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim(), element = texts.currentNode.parentElement;
    const style = getComputedStyle(element);
    if (!text || hidden(element, style)) continue;
    const behind = ground(element), front = over(parse(style.color), behind);
    const [dark, bright] = [light(front), light(behind)].sort((a, b) => a - b);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
    const least = size >= 24 || (bold && size >= 18.66) ? 3 : 4.5;
    const contrast = (bright + 0.05) / (dark + 0.05);
    if (contrast < least) found.add(`${contrast.toFixed(2)} ${style.color}: ${text.slice(0, 40)}`);
  }
  return [...found];
}
