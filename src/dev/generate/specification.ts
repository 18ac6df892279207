import { readFileSync } from 'node:fs';

interface Requirement {
  id: string;
  title: string;
  /** Each as `file: title`. */
  tests: string[];
}

/** Sections of requirements; see the file itself for its form. */
function readSections(text: string): { name: string; requirements: Requirement[] }[] {
  return text.split(/^# /m).flatMap((section) => {
    const [name = '', ...lines] = section.split('\n');
    const requirements: Requirement[] = [];
    for (const line of lines) {
      const [, id = '', title = ''] = /^(\S+) (.+)$/.exec(line) ?? [];
      if (id) requirements.push({ id, title, tests: [] });
      else if (line.trim()) requirements.at(-1)?.tests.push(line.trim());
    }
    return requirements.length > 0 ? [{ name, requirements }] : [];
  });
}

const fileOf = (test: string): string => `test/${test.slice(0, test.indexOf(': '))}.test.ts`;
const titleOf = (test: string): string => test.slice(test.indexOf(': ') + 2);

/** Whether a file has a test, a group of tests or a case of that name. */
function exists(test: string): boolean {
  const text = readFileSync(fileOf(test), 'utf8');
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${titleOf(test)}${quote}`));
}

/** Requirements without a test, and tests that do not exist. */
export const specificationProblems = (text: string): string[] =>
  readSections(text).flatMap(({ requirements }) =>
    requirements.flatMap(({ id, title, tests }) =>
      tests.length === 0
        ? [`${id} (${title}) has no test`]
        : tests.filter((test) => !exists(test)).map((test) => `${id} names a test that does not exist: ${test}`),
    ),
  );

const row = ({ id, title, tests }: Requirement): string =>
  `| ${id} | ${title} | ${tests.map((test) => `[${titleOf(test).replaceAll('|', '\\|')}](../${fileOf(test)})`).join('<br>')} |`;

/** The requirements of the API with the tests that prove them. */
export function specificationPage(): string {
  const text = readFileSync('test/specification.txt', 'utf8');
  const problems = specificationProblems(text);
  if (problems.length > 0) throw new Error(`Update test/specification.txt:\n${problems.join('\n')}`);
  const sections = readSections(text).map(
    ({ name, requirements }) =>
      `## ${name}\n\n| | Requirement | Tests |\n|---|---|---|\n${requirements.map(row).join('\n')}\n`,
  );
  return `# Specification

The requirements of the API, and the tests that prove them. \`npm run generate\` prints this page from \`test/specification.txt\` and fails if a
requirement has no test.

${sections.join('\n')}`;
}
