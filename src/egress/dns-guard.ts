import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isAllowed, type AddressRules } from './address.ts';
import { EgressError } from './egress-error.ts';

/** Resolves every address of a name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** An unresponsive name server must not use up the timeout of the whole request. */
const resolveMs = 5_000;

export const systemResolve: Resolve = (hostname) =>
  new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new EgressError('dns')), resolveMs);
    systemLookup(hostname, { all: true }, (error, addresses) => {
      clearTimeout(timer);
      if (error) fail(error);
      else done(addresses);
    });
  });

/** One blocked address blocks the whole name: a mixed response indicates an attack. */
export async function resolveAllowed(
  hostname: string,
  rules: AddressRules,
  resolve: Resolve,
): Promise<LookupAddress[]> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(literal) ? [{ address: literal, family: isIP(literal) }] : await resolve(hostname);
  if (addresses.length === 0) throw new EgressError('dns');
  if (addresses.some(({ address }) => !isAllowed(address, rules))) throw new EgressError('forbidden_address');
  return addresses;
}

const resolveWithCallback = callbackify(resolveAllowed);

/** The lookup function of sockets, so that the checked address is the one dialled. */
export const guardedLookup =
  (rules: AddressRules, resolve: Resolve): LookupFunction =>
  (hostname, { all }, done) => {
    resolveWithCallback(hostname, rules, resolve, (error, addresses) => {
      const [first] = error ? [] : addresses;
      if (!first) done(error, '');
      else if (all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
