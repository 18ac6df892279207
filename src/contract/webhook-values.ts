/** What each value of the enums of webhooks means. */
export const webhookEnumValues: Record<string, Record<string, string>> = {
  DeliveryState: {
    pending: 'It will be sent now',
    sending: 'A request is in flight',
    retrying: 'An attempt failed; `nextAttemptAt` is the next',
    waiting: 'The circuit breaker is open, the queue of the endpoint is full, or an earlier delivery comes first',
    held: 'The webhook was disabled after failures; kept for later',
    skipped: 'Its owner had disabled the webhook',
    delivered: 'The receiver accepted it',
    failed: 'All attempts failed',
    cancelled: 'The webhook was deleted, or it was not sent within the retention time',
  },
  DeliveryTrigger: {
    auto: 'An event',
    test: 'testWebhook',
    manual: 'redeliver',
    recover: 'A recovery',
  },
  RecoveryState: {
    queueing: 'Still searching for undelivered events',
    sending: 'All are found, some are not sent yet',
    completed: 'All are sent',
    cancelled: 'The webhook was deleted',
  },
  WebhookDisabledReason: {
    consecutive_failures: 'Ten failures in a row',
    gone: 'The endpoint answered 410',
    owner: 'Its owner disabled it',
  },
  WebhookOrdering: { none: 'In parallel', strict: 'One at a time, in order' },
  WebhookRecover: {
    none: 'Nothing',
    held: 'Held deliveries',
    failed: 'Held deliveries, and those that failed since `recoverSince`',
  },
};
