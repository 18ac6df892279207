import { describe, expect, it } from 'vitest';
import { PlatformEnvironment } from '../../src/config/platforms.ts';
import { platformInfo } from '../../src/contract/platform-info.ts';
import { AdPlatform } from '../../src/contract/platforms.ts';
import { platformsPage } from '../../src/dev/generate/platforms-page.ts';
import { staleFiles } from '../../src/dev/generate/generate.ts';
import { describedTypes } from '../support/schema-walk.ts';

describe('generated files', () => {
  it('are as the code prints them', async () => {
    expect(await staleFiles()).toEqual([]);
  });

  it('describe every type, field, argument, input field and enum value of the schema', () => {
    expect(
      describedTypes()
        .filter(({ description }) => !description)
        .map(({ name }) => name),
    ).toEqual([]);
  });
});

describe('docs/platforms.md', () => {
  const page = platformsPage();
  const sections = page.split(/^## (?=[A-F]: )/m).slice(1);

  it('has for each platform what it takes, what to register and how to reach it', () => {
    expect(sections.map((section) => section[0])).toEqual(AdPlatform.options);
    for (const [at, platform] of AdPlatform.options.entries()) {
      const section = sections[at] ?? '';
      const { goals, rules, ignored, ownFields, callsToAction, bidStrategies } = platformInfo(platform);
      const params = [...rules, ...ignored].map(({ param }) => `\`${param}\``);
      for (const word of [...goals, ...params, ...ownFields, ...callsToAction, ...bidStrategies])
        expect(section, platform).toContain(word);
      for (const part of ['To register at the platform:', 'Settings:', 'Minimum budget', 'Good to know:'])
        expect(section, platform).toContain(part);
    }
  });

  it('names every setting of a platform', () => {
    for (const [at, platform] of AdPlatform.options.entries()) {
      const names = Object.keys(PlatformEnvironment.shape).filter((name) => name.startsWith(`PLATFORM_${platform}_`));
      for (const name of names) expect(sections[at], name).toContain(`_${name.slice(11)}\``);
    }
  });
});
