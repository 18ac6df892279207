/** East Asian wide and full-width characters take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Cuts a text to a number of display columns. */
export const cutToWidth = (text: string, width: number): string =>
  fitting([...text.normalize('NFC')], width)
    .join('')
    .trimEnd();

/** Names end in our marker, so a name that is too wide is cut at its start. */
export const endOfWidth = (name: string, width: number): string =>
  fitting([...name].toReversed(), width)
    .toReversed()
    .join('')
    .trimStart();

function fitting(characters: string[], width: number): string[] {
  let used = 0;
  const beyond = characters.findIndex((character) => (used += wide.test(character) ? 2 : character.length) > width);
  return beyond < 0 ? characters : characters.slice(0, beyond);
}
