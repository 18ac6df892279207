import type { Problem } from '../../contract/error.ts';
import { maxCustomHeaders } from '../../contract/webhook.ts';

const maxBytes = 16 * 1024;

const reserved =
  /^(host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailers?|expect|proxy-.*|accept-encoding|user-agent|cookie|date|via|forwarded|x-forwarded-.*|x-real-ip|sec-.*|webhook-.*|x-webhook-.*|svix-.*|stripe-signature|x-hub-signature.*|x-amz-.*|x-amzn-.*|x-aws-ec2-metadata-.*|x-goog-.*|x-google.*|metadata-flavor|metadata|x-metadata-token|x-ms-.*)$/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/;
const value = /^[\t\x20-\x7e]{0,4096}$/;

/** The problems of a caller's extra headers, each with its name. */
export function headerProblems(headers: Record<string, string>): Problem[] {
  const wrong = (name: string, message: string): Problem => ({
    code: 'invalid_field_value',
    path: `customHeaders.${name}`,
    message,
  });
  const names = Object.keys(headers);
  const seen = new Set<string>();
  const each = Object.entries(headers).flatMap(([name, text]) => {
    const lower = name.toLowerCase();
    const isTwice = seen.has(lower);
    seen.add(lower);
    if (!token.test(name))
      return [wrong(name, "is not a header name: letters, digits and !#$%&'*+-.^_`|~, at most 64")];
    if (reserved.test(lower))
      return [wrong(name, 'is set by the service or would mislead the receiver; choose another name')];
    if (isTwice) return [wrong(name, 'is given twice: header names are the same in any case of letters')];
    return value.test(text) ? [] : [wrong(name, 'may hold visible ASCII, spaces and tabs, at most 4096 characters')];
  });
  const size = Object.entries(headers).reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  const whole: Problem[] = [];
  if (names.length > maxCustomHeaders)
    whole.push({
      code: 'invalid_field_value',
      path: 'customHeaders',
      message: `may have at most ${maxCustomHeaders} entries`,
    });
  if (size > maxBytes)
    whole.push({
      code: 'invalid_field_value',
      path: 'customHeaders',
      message: `may hold at most ${maxBytes} bytes in all`,
    });
  return [...whole, ...each];
}

/** Stored headers that pass the current rules, and the names of the others, which must not stop a delivery. */
export function fitHeaders(stored: Record<string, string>): { fit: Record<string, string>; leftOut: string[] } {
  const wrong = new Set(headerProblems(stored).map(({ path }) => path));
  const leftOut = Object.keys(stored).filter((name) => wrong.has(`customHeaders.${name}`));
  return { fit: Object.fromEntries(Object.entries(stored).filter(([name]) => !leftOut.includes(name))), leftOut };
}
