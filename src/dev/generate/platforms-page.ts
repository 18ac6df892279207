import { platformInfos } from '../../contract/platform-info.ts';
import type { PlatformInfo, PlatformRule } from '../../contract/lookup.ts';
import { AccountPlatform } from '../../contract/platforms.ts';
import { guides } from '../../platforms/setup-guide.ts';
import { scopeTables, type ScopeUse } from '../../platforms/scopes.ts';

const head = `# Platforms

What each ad platform takes, printed from the table that validates (\`npm run generate\`); the same is answered by
\`GET /v1/platforms\` and the query \`platforms\`.

## From the sandbox to the real platforms

\`npm start\` simulates every platform. Each one is replaced by the real one on its own, by its address and its app:

\`\`\`sh
PLATFORM_F_BASE_URL=https://api.linkedin.com/rest PLATFORM_F_CLIENT_ID=... PLATFORM_F_CLIENT_SECRET=... npm start
\`\`\`

Outside \`npm start\` (a container, \`node dist/main.js\`) the real addresses are the defaults. Set \`PUBLIC_URL\` to the address
under which people reach the service: callbacks lead there. Accounts are then connected anew, for the sandbox's tokens are
worth nothing elsewhere.

## On all platforms

A name has 1 to 255 characters. Budgets and bids are in whole units of the ad account's currency, with no more decimals than it
has; \`currency\` must be that of the ad account. A lifetime budget needs \`endDate\`, in the future. \`countries\` are [US] where no
place is named. A budget must have at least the platform's minimum for each day of the run.

\`updateAd\` changes the name, the budget and the end date. It changes the budget at the level that carries it, which it reads from the platform first:
if a campaign carries it for several ad sets, or several campaigns share it, nothing is changed and the response is 409
\`budget_level_mismatch\` with \`details.level\`, \`details.campaignId\`, \`details.shared\` and the current budget. The same applies to
an end date that a campaign carries (\`schedule_level_mismatch\`). \`endDate: null\` removes the end date. \`setAdStatus\` and
\`setCampaignStatus\` pause and resume. Operations that a platform does not support return 501 and are listed below. \`validateOnly\` shows the requests and makes nothing.
`;

const rows = (rules: PlatformRule[]): string => rules.map(({ param, text }) => `| \`${param}\` | ${text} |`).join('\n');

const list = (lines: string[]): string => lines.map((line) => `- ${line}`).join('\n');

function section(info: PlatformInfo): string {
  const { upstream, register, settings, notes } = guides[info.platform];
  const prefix = `PLATFORM_${info.platform}`;
  const env = [`\`${prefix}_BASE_URL\`, \`_AUTH_URL\`, \`_VERSION\`, \`_CLIENT_ID\`, \`_CLIENT_SECRET\``, ...settings];
  const ignored =
    info.ignored.length > 0
      ? `\n\nLeft aside, with a warning:\n\n| Field | Why |\n|---|---|\n${rows(info.ignored)}`
      : '';
  return `## ${info.platform}: ${info.label}

Upstream: ${upstream}. Accounts: ${info.accounts.map((name) => `\`${name}\``).join(', ')}.

| | |
|---|---|
| Shapes | ${info.shapes.join(', ')} |
| Goals | ${info.goals.join(', ')} |
| Bid strategies | ${info.bidStrategies.join(', ')} |
| Buttons | ${info.callsToAction.join(', ')} |
| Fields that others may not take | ${info.ownFields.join(', ')} |
| Minimum budget | ${info.budgetMinimum} per day in the account's currency; for a lifetime budget, per day of the run |
| \`endDate: null\` on updateAd | ${info.canRemoveEnd ? 'removes the end date' : 'no (400): an ad set always has an end date'} |
| duplicateCampaign | ${info.canDuplicate ? 'yes' : 'no (501)'} |

| Field | Rule |
|---|---|
${rows(info.rules)}${ignored}

Good to know:

${list(notes)}

To register at the platform:

${list(register)}

Settings: ${env.join('; ')}.
`;
}

const usesInWords: Record<ScopeUse, string> = {
  connect: 'connecting',
  readAds: 'reading ads',
  readFigures: 'metrics',
  changeAds: 'changing ads',
  createAds: 'creating ads',
  editListing: 'listings',
};

function scopeRow(account: AccountPlatform): string {
  const { asked, needs } = scopeTables[account];
  const uses = Object.entries(needs).map(
    ([use, entries]) =>
      `${usesInWords[use as ScopeUse]}: ${entries.map((anyOf) => anyOf.map((scope) => `\`${scope}\``).join(' or ')).join(', ')}`,
  );
  const all = asked.map((scope) => `\`${scope}\``).join(' ') || 'what the app is approved for';
  return `| \`${account}\` | ${all} | ${uses.join('; ') || 'the platform decides'} |`;
}

/** The scopes that each kind of account requests, and those that calls require. */
const scopes = (): string => `## Scopes

A call that needs a scope that the person did not grant is rejected before the platform is called: 422
\`missing_platform_permission\` with \`details.scopes\` and \`details.reconnect\`.

| Account | Requested scopes | Required scopes |
|---|---|---|
${AccountPlatform.options.map(scopeRow).join('\n')}
`;

/** docs/platforms.md. */
export const platformsPage = (): string => [head, ...platformInfos().map(section), scopes()].join('\n');
