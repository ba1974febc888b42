// Sorts a table of answers by the column whose heading was pressed; once more, the other way round. What is empty comes last.
if (!window.kbSorts) {
  window.kbSorts = true;
  const { compare } = new Intl.Collator("en", { numeric: true });
  const isNumber = (cell) => cell.dataset.size !== undefined;
  // Numbers and dates by their size, before words.
  const order = (one, other) => {
    if (isNumber(one) && isNumber(other)) return one.dataset.size - other.dataset.size;
    return isNumber(other) - isNumber(one) || compare(one.textContent, other.textContent);
  };
  document.addEventListener("click", (event) => {
    const heading = event.target instanceof Element && event.target.closest(".kb-table th");
    if (!heading) return;
    const body = heading.closest("table").tBodies[0], column = heading.cellIndex;
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const each of heading.parentElement.cells) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const cell = (row) => row.cells[column];
    const isEmpty = (row) => !cell(row).textContent;
    const rows = [...body.rows].sort(
      (one, other) => isEmpty(one) - isEmpty(other) || (down ? -1 : 1) * order(cell(one), cell(other)),
    );
    body.append(...rows);
  });
}
