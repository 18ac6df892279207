/** Encodes an external id as one path segment, including dots that `new URL` would resolve. */
export const segment = (id: string): string =>
  /^(\.|%2e){1,2}$/i.test(id)
    ? id.replaceAll('%', '%25').replaceAll('.', '%252E')
    : encodeURIComponent(id.toWellFormed());

/** Encodes a resource name such as `accounts/1`; each part stays one segment. */
export const segments = (name: string): string => name.split('/').map(segment).join('/');
