import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../../src');

/** Why reads of a file in src/services need no limit. */
const bounded: Record<string, string> = {
  'ads/adopt-order.ts': 'the ads of one campaign or order',
  'ads/complete-order.ts': 'the ads of one order',
  'ads/create-ad.ts': 'the ads of one order',
  'ads/currency.ts': 'by id',
  'ads/find-level.ts': 'the records of one object at a platform, and their accounts',
  'ads/find-upstream.ts': 'the accounts of one user',
  'ads/open-orders.ts': 'the ads of one order',
  'ads/order-lease.ts': 'the ads of one order',
  'ads/partial-orders.ts': 'the ads of one campaign',
  'ads/resolve-countries.ts': 'by id',
  'ads/set-campaign-status.ts': 'the accounts of one user and the ads of one campaign',
  'ads/set-level-status.ts': 'the ads of one ad set',
  'api-keys/create-api-key.ts': 'by id',
  'api-keys/list-api-keys.ts': 'the active keys of one user, whose number is limited',
  'budget-limits/active-budgets.ts': 'the active campaigns of one key or ad account with a limit',
  'budget-limits/open-reservations.ts': 'by id',
  'campaigns/recompute-aggregates.ts': 'a batch of campaigns',
  'campaigns/set-values.ts': 'the campaigns, ad sets or ads of one change',
  'discovery/closed-metrics.ts': 'a page of the platform',
  'discovery/discover-ad-account.ts': 'the ids of the campaigns of one ad account',
  'discovery/load-existing.ts': 'a page of the platform, and the unfinished orders of one account',
  'discovery/order-names.ts': 'the unfinished orders of one account',
  'discovery/request-discovery.ts': 'by id, of the accounts of one batch',
  'discovery/run-discovery.ts': 'the ad accounts of one account',
  'duplications/copy-sources.ts': 'a batch of a copied tree',
  'duplications/find-steps.ts': 'the steps of one copy',
  'duplications/write-copies.ts': 'the ads of one copy',
  'durable/batch.ts': 'by id',
  'encryption/key-registry.ts': 'the encryption keys',
  'encryption/re-encrypt-all.ts': 'the encryption keys, the processes that hold them, and the sessions of eight hours',
  'profiles/create-profile.ts': 'the profiles of one user, whose number is limited',
  'related/records.ts': 'by id, and the accounts of the profiles of a page',
  'reports/coverage.ts': 'by id',
  'reports/stored-figures.ts': 'the objects of one level of one ad account',
  'reports/write-figures.ts': 'by id',
  'stops/pause-steps.ts': 'the platforms of one stop, six at most',
  'webhooks/backlog.ts': 'by webhook, of at most 400 deliveries',
  'webhooks/create-webhook.ts': 'the webhooks of one user, at most ten',
  'webhooks/delivery-readers.ts': 'by id; 50 of each endpoint',
  'webhooks/delivery-samplers.ts': 'one id for each webhook, by index',
  'webhooks/fan-out.ts': 'the webhooks of the users of a batch',
  'webhooks/find-webhook.ts': 'the webhooks of one user, at most ten',
  'webhooks/run-recoveries.ts': 'a page of events of one webhook',
  'webhooks/sweep-deliveries.ts': 'one id for each webhook by index, then a page of webhooks',
};

const read = /\b(?:db\.\w+|collection|source|webhookDeliveries|encryptionKeys)\s*\.(find|distinct)\(/g;
const limits = /\.limit\(|\.cursor\(/;

/** Reads of documents by files that have neither a limit nor a cursor. */
function unboundedIn(file: string): number {
  const text = readFileSync(join(source, file), 'utf8');
  return [...text.matchAll(read)].filter(({ index }) => !limits.test(statementAt(text, index))).length;
}

/** A statement and, if it only builds a query, the one that runs it. */
function statementAt(text: string, start: number): string {
  const end = text.indexOf(';\n', start);
  const isQuery = /const query = [^;]*$/.test(text.slice(0, start));
  return text.slice(start, isQuery ? text.indexOf(';\n', end + 1) : end);
}

describe('reads of services, workers and the command line', () => {
  it('have a limit or a cursor, or a reason to need none', () => {
    const files = ['services', 'workers', 'cli'].flatMap((layer) =>
      readdirSync(join(source, layer), { recursive: true, encoding: 'utf8' }).map((file) => join(layer, file)),
    );
    const unbounded = files.filter((file) => file.endsWith('.ts') && unboundedIn(file) > 0).toSorted();
    expect(unbounded).toEqual(
      Object.keys(bounded)
        .map((file) => join('services', file))
        .toSorted(),
    );
  });
});
