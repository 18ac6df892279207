/** A hash of text, as an unsigned integer of 32 bits. */
export function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return mix(hash, text.length);
}

/** An unsigned integer of 32 bits that depends on both numbers and on nothing else. */
export function mix(one: number, other: number): number {
  let hash = Math.imul(one ^ Math.imul(other, 0x9e_37_79_b1), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A share of a whole number, rounded up or down so that it is right on average. */
export const shareOf = (whole: number, perMille: number, noise: number): number =>
  Math.floor((whole * perMille + (noise % 1000)) / 1000);
