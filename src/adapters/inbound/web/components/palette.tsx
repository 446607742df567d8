/** The search in front of any page. Without a script the field in the top bar leads to the page of the search. */
export const Palette = () => (
  <dialog id="palette" class="palette" aria-label="Search">
    <input
      type="text"
      name="q"
      placeholder="Search servers, jobs, schedules, actions"
      aria-label="Search"
      autocomplete="off"
      spellcheck={false}
      role="combobox"
      aria-expanded="true"
      aria-controls="found"
      hx-get="/live/search"
      hx-trigger="input changed delay:120ms, palette-open"
      hx-target="#found"
      hx-swap="innerHTML"
    />
    <div id="found" class="hits" />
  </dialog>
);
