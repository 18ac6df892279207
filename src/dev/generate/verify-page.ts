import { readFileSync } from 'node:fs';
import { AdPlatform } from '../../contract/platforms.ts';
import type { Check } from '../upstream/check.ts';
import { checks } from '../upstream/checks.ts';
import { reads } from '../upstream/reads.ts';
import { between } from './readme.ts';

const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`;

const tableOf = (title: string, list: Check[]): string =>
  [
    `### ${title}`,
    '',
    row('Check', 'Question', 'Why it is open', 'Kind', 'Sandbox'),
    row('---', '---', '---', '---', '---'),
    ...list.map(({ id, question, doubt, kind, isRefused, needs = [] }) =>
      row(
        `\`${id}\``,
        question,
        doubt,
        [kind, ...needs.map((name) => `\`${name}\``)].join(', '),
        isRefused ? 'refused' : 'accepted',
      ),
    ),
  ].join('\n');

const tables = (): string =>
  [
    tableOf('All platforms', reads),
    ...AdPlatform.options.map((platform) =>
      tableOf(
        `Platform ${platform}`,
        checks[platform].filter((check) => !reads.includes(check)),
      ),
    ),
  ].join('\n\n');

/** The page about `npm run upstream`, with the table of its checks. */
export const verifyPage = (): string => between(readFileSync('docs/verify-platforms.md', 'utf8'), 'checks', tables());
