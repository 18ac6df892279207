import { AdReport } from '../contract/report.ts';
import { AdReportInput } from '../contract/report-input.ts';
import { adReport, adReportCsv } from '../services/reports/ad-report.ts';
import { insightsWeight } from '../services/reports/insights.ts';
import { adsCallErrors, operation } from './operation.ts';

export const reportOperations = [
  operation({
    name: 'adReport',
    method: 'GET',
    path: '/v1/ads/report',
    summary: 'Report metrics by date range',
    description:
      'Returns the metrics of an ad account, its campaigns, ad sets or ads for a range of days, as the platform reports them at that level. If days are still being read or could not be read, the REST status is 202 and `missing` names them.',
    input: AdReportInput,
    output: AdReport,
    outputs: { 200: [AdReport], 202: [AdReport] },
    errors: ['account_not_found', 'mutually_exclusive_fields', ...adsCallErrors],
    weight: insightsWeight,
    graphql: { args: [], isPlain: true, cost: ({ limit }: AdReportInput) => 10 + limit / 10 },
    retryAfter: ({ retryAfterSeconds }) => retryAfterSeconds,
    file: {
      mediaType: 'text/csv',
      format: 'csv',
      description:
        'All rows as CSV by RFC 4180, at most 50 000, with exact decimals; an empty cell is null. Text that a spreadsheet would read as a formula has a leading apostrophe',
      run: adReportCsv,
    },
    run: adReport,
  }),
];
