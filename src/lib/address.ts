import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** Ranges that self-hosters open; metadata addresses stay closed. */
  allowedCidrs: string[];
  /** Development on one machine. */
  allowLoopback: boolean;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Closed even inside an opened range: cloud metadata, link-local, this network. */
const alwaysClosed = [
  '169.254.0.0/16',
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fe80::/10',
].map((range) => ipaddr.parseCIDR(range));

/** All of IPv6 that is handed out for the public; what lies outside is for special uses, old or new. */
const publicIpv6: [Address, number][] = [ipaddr.parseCIDR('2000::/3')];

const within = (address: Address, ranges: [Address, number][]): boolean =>
  ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base as never, bits));

/** Bytes before an IPv4 address in IPv6 clothes that a gateway or this machine may take off: 6to4, NAT64, compatible. */
const clothes: [string, number][] = [
  ['2002::/16', 2],
  ['64:ff9b::/96', 12],
  ['64:ff9b:1::/48', 12],
  ['::ffff:0:0:0/96', 12],
  ['::/96', 12],
];

/** An address and what is inside of it. */
function clothed(address: Address): Address[] {
  if (address.kind() === 'ipv4' || address.range() === 'loopback') return [address];
  const bytes = address.toByteArray();
  const inside = clothes
    .filter(([range]) => within(address, [ipaddr.parseCIDR(range)]))
    .map(([, from]) => ipaddr.fromByteArray(bytes.slice(from, from + 4)));
  return [address, ...inside];
}

/** Whether an address may be reached: public ones, and what is opened on purpose. */
export function isAllowed(text: string, { allowedCidrs, allowLoopback }: AddressRules): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address in IPv6 clothes is judged as what it is.
  const address = ipaddr.process(text);
  if (clothed(address).some((one) => within(one, alwaysClosed))) return false;
  const opened = allowedCidrs.map((range) => ipaddr.parseCIDR(range));
  if (within(address, opened)) return true;
  const range = address.range();
  if (range === 'loopback') return allowLoopback;
  return range === 'unicast' && (address.kind() === 'ipv4' || within(address, publicIpv6));
}

/** Whether a host, as a parsed address or a socket gives it, is this machine. */
export function isLoopback(host: string): boolean {
  if (/^(.+\.)?localhost\.?$/i.test(host)) return true;
  const literal = host.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(literal) && ipaddr.process(literal).range() === 'loopback';
}
