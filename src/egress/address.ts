import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** Ranges that self-hosters may allow; metadata addresses stay blocked. */
  allowedCidrs: string[];
  /** Development on one machine. */
  allowLoopback: boolean;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** True for a range in CIDR notation; abbreviated and octal addresses are rejected as typing errors. */
export const isRange = (text: string): boolean =>
  ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || (!text.includes('%') && ipaddr.IPv6.isValidCIDR(text));

/** An IPv4-mapped IPv6 range becomes the IPv4 range, because mapped addresses are checked as IPv4. */
function parseRange(text: string): Range {
  if (!isRange(text)) throw new Error(`${text} is not a range such as 10.0.0.0/8`);
  const [base, bits] = ipaddr.parseCIDR(text);
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [base.toIPv4Address(), bits - 96] : [base, bits];
}

const parsed = new WeakMap<string[], Range[]>();

/** The ranges of a list, parsed once. */
export function rangesOf(list: string[]): Range[] {
  const ranges = parsed.get(list) ?? list.map(parseRange);
  parsed.set(list, ranges);
  return ranges;
}

/** Blocked even inside an allowed range: cloud metadata, link-local, this network. */
const blockedRanges = [
  '169.254.0.0/16',
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fe80::/10',
].map((range) => ipaddr.parseCIDR(range));

/** Global unicast IPv6; everything outside is for special uses. */
const publicIpv6: Range[] = [ipaddr.parseCIDR('2000::/3')];

const within = (address: Address, ranges: Range[]): boolean =>
  ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base as never, bits));

/**
 * Prefixes of IPv6 addresses that embed an IPv4 address a gateway or this machine may extract: 6to4, NAT64, compatible.
 */
const embeddingPrefixes: [Range, number][] = (
  [
    ['2002::/16', 2],
    ['64:ff9b::/96', 12],
    ['64:ff9b:1::/48', 12],
    ['::ffff:0:0:0/96', 12],
    ['::/96', 12],
  ] as const
).map(([range, from]) => [ipaddr.parseCIDR(range), from]);

/** An address and the IPv4 addresses embedded in it. */
function embeddedAddresses(address: Address): Address[] {
  if (address.kind() === 'ipv4' || address.range() === 'loopback') return [address];
  const bytes = address.toByteArray();
  const inside = embeddingPrefixes
    .filter(([range]) => within(address, [range]))
    .map(([, from]) => ipaddr.fromByteArray(bytes.slice(from, from + 4)));
  return [address, ...inside];
}

const results = new WeakMap<AddressRules, Map<string, boolean>>();
const maxResults = 10_000;

/** True for public addresses and those allowed explicitly. Remembered: parsing an address takes longer than signing. */
export function isAllowed(text: string, rules: AddressRules): boolean {
  const known = results.get(rules) ?? new Map<string, boolean>();
  results.set(rules, known);
  const result = known.get(text) ?? check(text, rules);
  if (known.size >= maxResults) known.clear();
  known.set(text, result);
  return result;
}

function check(text: string, { allowedCidrs, allowLoopback }: AddressRules): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An embedded IPv4 address is checked as IPv4.
  const address = ipaddr.process(text);
  if (embeddedAddresses(address).some((one) => within(one, blockedRanges))) return false;
  if (within(address, rangesOf(allowedCidrs))) return true;
  const range = address.range();
  if (range === 'loopback') return allowLoopback;
  return range === 'unicast' && (address.kind() === 'ipv4' || within(address, publicIpv6));
}

/** True if a host name or socket address is this machine. */
export function isLoopback(host: string): boolean {
  if (/^(.+\.)?localhost\.?$/i.test(host)) return true;
  const literal = host.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(literal) && ipaddr.process(literal).range() === 'loopback';
}
