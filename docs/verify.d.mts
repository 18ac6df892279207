export function isGenuine(
  headers: Record<string, string | string[] | undefined>,
  body: string,
  secret: string,
  now?: number,
): boolean;
