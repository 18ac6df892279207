/** A known disagreement: the check leaves it out until the adapter, the sandbox or the test is corrected. */
interface Exception {
  problem: RegExp;
  reason: string;
}

const exceptions: Exception[] = [
  {
    problem: /^pinterest: .*is_campaign_budget_optimization must be equal to constant/,
    reason: 'The adapter creates awareness campaigns without a campaign budget',
  },
];

export const isExcepted = (problem: string): boolean => exceptions.some((exception) => exception.problem.test(problem));
