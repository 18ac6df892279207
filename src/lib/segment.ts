/** One segment of a path: an id from elsewhere stays one segment whatever it holds, also dots that `new URL` would resolve. */
export const segment = (id: string): string =>
  /^(\.|%2e){1,2}$/i.test(id)
    ? id.replaceAll('%', '%25').replaceAll('.', '%252E')
    : encodeURIComponent(id.toWellFormed());

/** A resource name such as `accounts/1`: each of its parts stays one segment. */
export const segments = (name: string): string => name.split('/').map(segment).join('/');
