import { Pressed, SEARCH_KEYS } from '../pages/fleet/keys.tsx';

/** The search in front of any page. Without a script the field in the top bar leads to the page of the search. */
export const Palette = () => (
  <dialog id="palette" class="palette" aria-label="Search">
    <div class="palette-field">
      <input
        type="text"
        name="q"
        placeholder="Search, or say what to do: back up web-01"
        aria-label="Search"
        autocomplete="off"
        autocapitalize="off"
        enterkeyhint="go"
        spellcheck={false}
        role="combobox"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls="found"
        hx-get="/live/search"
        hx-trigger="input changed delay:80ms, palette-open"
        hx-target="#found"
        hx-swap="innerHTML"
      />
      <form method="dialog">
        <button class="ghost">Close</button>
      </form>
    </div>
    <div id="found" class="hits" />
    <p class="palette-keys desk" aria-hidden="true">
      {SEARCH_KEYS.map(({ press, does }) => (
        <span key={does}>
          <Pressed keys={press} /> {does}
        </span>
      ))}
    </p>
  </dialog>
);
