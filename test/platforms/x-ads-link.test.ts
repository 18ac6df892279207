import { describe, expect, it } from 'vitest';
import { addressesIn } from '../../src/dev/sandbox/microblog/text-weight.ts';
import { createXAds } from '../../src/platforms/x-ads/index.ts';
import { linkOf } from '../../src/platforms/x-ads/link.ts';
import { inputs } from './fixtures.ts';

const adapter = createXAds({ baseUrl: 'https://ads.example', version: '12' });
const sent = (linkUrl: string): string => linkOf(inputs.legacy({ linkUrl })) ?? '';

// twitter/twitter-text 30e2430, js/src/regexp: validUrlPath, validUrlPathEndingChars, validUrlQueryChars, validUrlQueryEndingChars.
describe('the link of a post', () => {
  it.each([
    ['https://shop.example', 'https://shop.example'],
    ['https://shop.example/coats?a=1&b=2#top', 'https://shop.example/coats?a=1&b=2#top'],
    ['https://shop.example/%20a~b/@c', 'https://shop.example/%20a~b/@c'],
    ['https://shop.example#top', 'https://shop.example/#top'],
    ['https://shop.example/sale!', 'https://shop.example/sale%21'],
    ['https://shop.example/v1.', 'https://shop.example/v1%2E'],
    ['https://shop.example/coat_(red', 'https://shop.example/coat_%28red'],
    ['https://shop.example/a^b', 'https://shop.example/a%5Eb'],
    ['https://shop.example/冬', 'https://shop.example/%E5%86%AC'],
    ['https://shop.example/?q={x}', 'https://shop.example/?q=%7Bx%7D'],
    ['https://shop.example/?q=ü&r=Mr.', 'https://shop.example/?q=%C3%BC&r=Mr%2E'],
    ['https://shop.example/?q=a+', 'https://shop.example/?q=a%2B'],
  ])('%s is sent as %s, which the platform takes to its end', (linkUrl, link) => {
    expect(sent(linkUrl)).toBe(link);
    expect(addressesIn(`New coats ${link}`)).toEqual([link]);
    expect(decodeURIComponent(link).replace('/#', '#')).toBe(decodeURIComponent(linkUrl).replace('/#', '#'));
  });

  it.each([
    ['https://shop.example/coats', []],
    ['https://xn--bcher-kva.example/', []],
    ['https://bücher.example/', []],
    ['http://192.0.2.7/coats', ['linkUrl']],
    ['http://[2001:db8::1]/', ['linkUrl']],
    ['http://intranet/coats', ['linkUrl']],
  ])('%s gives the problems %j: the platform links only host names with a top-level domain', (linkUrl, paths) => {
    expect(adapter.checkOrder?.(inputs.legacy({ linkUrl })).map(({ path }) => path)).toEqual(paths);
  });
});
