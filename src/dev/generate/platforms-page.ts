import { platformInfos } from '../../contract/platform-info.ts';
import type { PlatformInfo, PlatformRule } from '../../contract/lookup.ts';
import { AccountPlatform } from '../../contract/platforms.ts';
import { guides } from '../../platforms/setup-guide.ts';
import { reportsSection } from './reports-table.ts';
import { scopeTables, type ScopeUse } from '../../platforms/scopes.ts';

const head = `# Platforms

What each ad platform accepts, generated from the table that validates requests. \`GET /v1/platforms\` and the query \`platforms\` return the same.

## From the sandbox to the real platforms

\`npm start\` simulates every platform. Replace one by the real platform with its address and your app:

\`\`\`sh
PLATFORM_F_BASE_URL=https://api.linkedin.com/rest PLATFORM_F_CLIENT_ID=... PLATFORM_F_CLIENT_SECRET=... npm start
\`\`\`

Outside \`npm start\` (a container, \`node dist/main.js\`) the real addresses are the defaults. Set \`PUBLIC_URL\` to the public address of the
service, which callbacks use. Connect accounts again: tokens of the sandbox are not valid elsewhere. [Verify the platforms](verify-platforms.md)
with your own credentials first: the command compares their answers with those of the sandbox. The last table of each platform says what is proven
about it; [published facts](decisions/published-facts.md) says how.

## On all platforms

- A name has 1 to 255 characters.
- Budgets and bids are in whole units of the ad account's currency, with no more decimals than it has; \`currency\` must be that of the ad account. A
  budget must be at least the platform's minimum for each day of the run. A lifetime budget needs \`endDate\`, in the future; its days count from \`startDate\`.
- \`startDate\` is in the future, at most 365 days ahead and before \`endDate\`; not beside \`adSetId\`. Within 5 minutes of now it counts as absent, with a warning.
  The ad is created and reviewed at once and runs from its start; \`schedule.startDate\` is the start that the platform received. If an order reaches the
  platform after its start, the ad starts at once (B: on the next day of the ad account), with a warning.
- \`countries\` defaults to [US] if no place is given. Excluded places require included places and must not exclude all of them; an entry
  cannot be both included and excluded. An exclusion that the platform lacks is rejected.
- Declarations to the platform (\`specialAdCategories\`, \`specialAdCategoryCountry\`, \`politicalAdvertising\`, \`regionalRegulation\`) are never inferred from texts: an order
  without them declares none, as the section of each platform says. They belong to the campaign and the ad set, so beside \`adSetId\` they are rejected.
  \`declarations\` of an ad shows them, also of ads created elsewhere where the platform reports them; copies of a campaign keep them.
- \`languages\` are ISO 639-1 codes, up to 50; all variants of each that the platform has are targeted. A language that it lacks is rejected.
  \`devices\` limits an ad to kinds of devices.
- \`urlParameters\` are added to \`linkUrl\`, percent-encoded; a key that the link already has is rejected. Names in braces such as \`{campaignId}\` are
  replaced by the platform at each click; the tables below list those of each platform. Entries of \`creatives\` may have a list of their own.
- \`updateAd\` changes the name, the budget and the end date, on B and F also \`urlParameters\`. It reads from the platform which level carries the budget and changes it there. If a campaign carries
  it for several ad sets, or several campaigns share it, nothing is changed: 409 \`budget_level_mismatch\` with \`details.level\`, \`details.platformCampaignId\`,
  \`details.shared\`, the current budget, and in \`details.use\` the operation that changes it. The same applies to an end date that a campaign carries (\`schedule_level_mismatch\`). \`endDate: null\` removes
  the end date.
- \`setAdStatus\` and \`setCampaignStatus\` pause and resume.
- \`validateOnly\` returns the requests and creates nothing.
- Operations that a platform does not support return 501 and are listed below.
`;

const rows = (rules: PlatformRule[]): string => rules.map(({ param, text }) => `| \`${param}\` | ${text} |`).join('\n');

const list = (lines: string[]): string => lines.map((line) => `- ${line}`).join('\n');

const starts: Record<PlatformInfo['startPrecision'], string> = {
  instant: 'to the second',
  day: 'moved to the next start of a day of the ad account, with a warning',
};

/** What ads declare, if anything. */
const declared = (declarations: PlatformInfo['declarations']): string =>
  declarations.length === 0
    ? ''
    : `\n| Declaration | Values | |\n|---|---|---|\n${declarations
        .map(({ param, values, text }) => `| \`${param}\` | ${values?.join(', ') ?? 'all'} | ${text} |`)
        .join('\n')}\n`;

/** The fields that an object can carry, and where they depend on the campaign. */
function changesOf({ changeableBudgets, endLevel }: PlatformInfo, level: 'ad_set' | 'campaign'): string {
  const isEither = changeableBudgets.length > 1;
  const budget = changeableBudgets.includes(level) ? [isEither ? 'the budget if it carries it' : 'the budget'] : [];
  const ofOnly = level === 'campaign' && endLevel === 'ad_set' ? ['the end date if it has one ad set'] : [];
  const end = endLevel === level || endLevel === 'both' ? ['the end date'] : ofOnly;
  return ['name', 'status', ...budget, ...end].join(', ');
}

const removalsOf = ({ removal }: PlatformInfo): string => {
  const modes = removal.map((mode) => `\`${mode}\``).join(' and ');
  return removal.length > 1 ? `modes ${modes}` : `only mode ${modes}; the other is 501`;
};

function section(info: PlatformInfo): string {
  const { upstream, register, settings, notes, declarations, proven } = guides[info.platform];
  const prefix = `PLATFORM_${info.platform}`;
  const env = [`\`${prefix}_BASE_URL\`, \`_AUTH_URL\`, \`_VERSION\`, \`_CLIENT_ID\`, \`_CLIENT_SECRET\``, ...settings];
  const ignored =
    info.ignored.length > 0 ? `\n\nIgnored, with a warning:\n\n| Field | Why |\n|---|---|\n${rows(info.ignored)}` : '';
  return `## ${info.platform}: ${info.label}

Upstream: ${upstream}. Accounts: ${info.accounts.map((name) => `\`${name}\``).join(', ')}.

| | |
|---|---|
| Shapes | ${info.shapes.join(', ')} |
| Goals | ${info.goals.join(', ')} |
| Bid strategies | ${info.bidStrategies.join(', ')} |
| Buttons | ${info.callsToAction.join(', ')} |
| Fields that other platforms may lack | ${info.ownFields.join(', ')} |
| Exclusions | ${info.exclusions.join(', ') || 'none'} |
| Match types of keywords | ${info.keywordMatchTypes.join(', ') || 'no keywords'} |
| Minimum budget | ${info.budgetMinimum} per day in the account's currency; for a lifetime budget, per day of the run |
| \`startDate\` | ${starts[info.startPrecision]} |
| Level of the budget on createAd | ${info.budgetLevels.map((level) => (level === info.defaultBudgetLevel ? `\`${level}\` (default)` : `\`${level}\``)).join(', ')} |
| updateCampaign changes | ${changesOf(info, 'campaign')} |
| updateAdSet changes | ${changesOf(info, 'ad_set')} |
| \`endDate: null\` on updateAd | ${info.canRemoveEnd ? 'removes the end date' : 'no (400): an ad set always has an end date'} |
| deleteAd, deleteAdSet, deleteCampaign | ${removalsOf(info)} |
| \`devices\` | ${info.devices.join(', ') || 'none (400)'} |
| Names in \`urlParameters\` | ${info.urlMacros.map((name) => `\`${name}\``).join(', ') || 'none: text only'} |
| \`urlParameters\` on updateAd | ${info.canChangeUrlParameters ? 'yes' : 'no (501)'} |
| duplicateCampaign | ${info.canDuplicate ? 'yes' : 'no (501)'} |

| Field | Rule |
|---|---|
${rows(info.rules)}${ignored}

Good to know:

${list(notes)}

Declarations: ${declarations}
${declared(info.declarations)}
To register at the platform:

${list(register)}

Settings: ${env.join('; ')}.

| Proven by | What |
|---|---|
| a description by the platform | ${proven.byDescription ?? 'nothing: the platform publishes none'} |
| pages and public reports | ${proven.byReports ?? 'nothing'} |
| nothing yet | ${proven.unproven} |
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
  const all = asked.map((scope) => `\`${scope}\``).join(' ') || 'the scopes that the app is approved for';
  return `| \`${account}\` | ${all} | ${uses.join('; ') || 'the platform decides'} |`;
}

/** The scopes that each kind of account requests, and those that calls require. */
const scopes = (): string => `## Scopes

A call that needs a scope that the user did not grant is rejected before the platform is called: 422
\`missing_platform_permission\` with \`details.scopes\` and \`details.reconnect\`.

| Account | Requested scopes | Required scopes |
|---|---|---|
${AccountPlatform.options.map(scopeRow).join('\n')}
`;

/** docs/platforms.md. */
export const platformsPage = (): string =>
  [head, ...platformInfos().map(section), reportsSection(), scopes()].join('\n');
