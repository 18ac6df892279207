import { sandboxSettings } from './sandbox/settings.ts';

/** The sandbox replaces each platform without a configured URL. */
export function simulatedSettings(url: string): Record<string, string> {
  const settings = Object.entries(sandboxSettings(url));
  const real = settings
    .map(([name]) => /^(.*)_BASE_URL$/.exec(name)?.[1])
    .filter((prefix) => prefix !== undefined && process.env[`${prefix}_BASE_URL`]);
  return Object.fromEntries(settings.filter(([name]) => !real.some((prefix) => name.startsWith(`${prefix}_`))));
}

export const simulates = (): boolean => Object.keys(simulatedSettings('')).length > 0;
