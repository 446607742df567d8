/** Colours and bold, which do no harm; everything else that begins with ESC can move the cursor or worse. */
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const COLOUR = /^\u001b\[[0-9;]*m$/;
const CONTROL = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]|\u001b(?!\[[0-9;]*m)/g;

/** Text that came from hosts, with what could take over a terminal removed. Line breaks, tabs and colours stay. */
export const terminalSafe = (text: string): string =>
  text.replace(ESCAPE_SEQUENCE, (sequence) => (COLOUR.test(sequence) ? sequence : '')).replace(CONTROL, '');
