// Elements of the page. Text is always set as text, whatever the names in a network are.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export function make(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function makeSvg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

export function find(name) {
  return document.getElementById(name);
}

// A list to choose from; choices are pairs of value and text.
export function fillSelect(select, choices, chosen) {
  select.replaceChildren(...choices.map(([value, text]) => make("option", { value, selected: String(value) === String(chosen) }, text)));
}

export function facts(entries) {
  return make(
    "dl",
    { class: "facts" },
    entries.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]),
  );
}

// More rows than this are scrolled by themselves, which is said.
const WHOLE = 30;

export function table(headings, rows, marked = () => false) {
  const long = rows.length > WHOLE;
  const list = make(
    "div",
    { class: long ? "scroll long" : "scroll", tabindex: "0" },
    make(
      "table",
      {},
      make("thead", {}, make("tr", {}, headings.map((heading) => make("th", { scope: "col" }, heading)))),
      make(
        "tbody",
        {},
        rows.map((row, place) => make("tr", { class: marked(place) ? "now" : null }, row.map((cell) => make("td", {}, String(cell))))),
      ),
    ),
  );
  return long ? [list, make("p", { class: "muted small" }, `${rows.length} rows: scroll to see them all.`)] : list;
}
