import { HtmlValidate } from 'html-validate/node';

const checker = new HtmlValidate({
  root: true,
  extends: ['html-validate:standard', 'html-validate:a11y'],
  rules: {
    // Matters of style; templates close void elements.
    'void-style': 'off',
    'no-trailing-whitespace': 'off',
    'attribute-boolean-style': 'off',
    'no-implicit-button-type': 'off',
    'doctype-style': 'off',
    // Without a script, reloading is how a page shows that something has changed.
    'meta-refresh': 'off',
    'long-title': 'off',
  },
});

/** What is wrong with a page by the rules of HTML and of accessible names. */
export async function markupProblems(text: string): Promise<string[]> {
  const { results } = await checker.validateString(text);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`),
  );
}
