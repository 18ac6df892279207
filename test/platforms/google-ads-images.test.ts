import { describe, expect, it } from 'vitest';
import { readImage } from '../../src/lib/image.ts';
import { png } from './google-ads-fixtures.ts';

const hex = (...parts: string[]): Buffer => Buffer.from(parts.join(''), 'hex');
const soi = 'ffd8';
const app0 = 'ffe000104a46494600010100000100010000';
/** A table of codes, whose marker lies among those of frames. */
const huffman = 'ffc40004abcd';
/** 628 high and 1200 wide. */
const frame = (marker: string): string => `ff${marker}001108027404b003012200021101031101`;

describe('the size of an image', () => {
  it.each<[string, Buffer, object]>([
    ['a PNG', png(1200, 628), { format: 'png', width: 1200, height: 628 }],
    ['a GIF of 1987', Buffer.from('GIF87a\x2c\x01\x3a\x01', 'latin1'), { format: 'gif', width: 300, height: 314 }],
    ['a GIF of 1989', Buffer.from('GIF89a\x2c\x01\x3a\x01', 'latin1'), { format: 'gif', width: 300, height: 314 }],
    ['a JPEG', hex(soi, app0, frame('c0')), { format: 'jpeg', width: 1200, height: 628 }],
    ['a progressive JPEG', hex(soi, app0, huffman, frame('c2')), { format: 'jpeg', width: 1200, height: 628 }],
  ])('is read of %s', (_what, bytes, facts) => {
    expect(readImage(bytes)).toEqual(facts);
  });

  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a PNG without size', png(0, 10)],
    ['a JPEG without a frame', hex(soi, app0, huffman)],
    ['a JPEG of nothing but its mark', hex(soi, 'ffffffffffffffffffffffffff')],
    ['a JPEG whose part has no length', hex(soi, 'ffe00000', '00'.repeat(20))],
  ])('is not found in %s', (_what, bytes) => {
    expect(readImage(bytes)).toBeUndefined();
  });
});
