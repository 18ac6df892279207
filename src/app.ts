import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { printSchema } from 'graphql';
import { configWarnings, type Config } from './config/config.ts';
import { egressOptions } from './config/egress-options.ts';
import { schema } from './graphql/schema.ts';
import { knownUnits } from './graphql/known-units.ts';
import { createGraphQL } from './graphql/yoga.ts';
import { createDraining, type Draining } from './http/draining.ts';
import { createCors } from './http/cors.ts';
import { createAuthenticator } from './http/authenticate.ts';
import { unreadableAddress } from './http/request-target.ts';
import { createListener } from './http/server.ts';
import { openServer, type OpenServer } from './http/open-server.ts';
import { createAdmission, type Admission } from './http/admission.ts';
import { isLocalDevelopment } from './http/local-request.ts';
import { systemClock } from './lib/clock.ts';
import { createEgress } from './egress/egress.ts';
import { atMostEvery } from './lib/throttle.ts';
import { localPlatformLimits } from './lib/platform-limits.ts';
import type { Log } from './telemetry/log.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';
import { createEncrypter, type Encrypter } from './lib/encryption.ts';
import { newId } from './lib/id.ts';
import { createResources, type Resources } from './lib/resources.ts';
import { createSpool } from './lib/spool.ts';
import { logDamagedDates } from './telemetry/damaged-dates.ts';
import { startTracing } from './telemetry/tracing.ts';
import { watchEgress } from './egress/instrument.ts';
import { connectDb, type Db } from './models/db.ts';
import { versionReadings, versionWarnings } from './platforms/versions.ts';
import { startVersionCheck } from './workers/check-versions.ts';
import { demoOf } from './pages/explorer-tabs.ts';
import { graphiqlPage } from './pages/graphiql.ts';
import { createSite } from './pages/site.ts';
import { createMediaSource } from './platforms/media-source.ts';
import { createConnectors, createListing, createPlatforms, refreshersOf } from './platforms/registry.ts';
import type { Redis } from './redis/connect.ts';
import { createPubSub } from './redis/pubsub.ts';
import { createEditLimiter, createFigureReadLimiter } from './redis/sliding-limiter.ts';
import { createRequestLimiter } from './redis/rate-limiter.ts';
import { wakeChannel, type Wake } from './redis/wake-relay.ts';
import { createLimiter } from './redis/platform-limiter.ts';
import { createDeliveryRate } from './redis/delivery-rate.ts';
import { redisStateOf } from './redis/redis-state.ts';
import { logRejections } from './redis/open.ts';
import { openRedis } from './redis/require-settings.ts';
import { createSubscriptionLimiter } from './redis/subscription-limiter.ts';
import { operationGroups, operations } from './operations/index.ts';
import { openApi } from './rest/openapi.ts';
import { createRest } from './rest/router.ts';
import { createKeyVerifier } from './services/api-keys/verify-api-key.ts';
import type { RequestLimiter, Services } from './services/context.ts';
import { logOutage } from './services/unexpected-error.ts';
import { createSamplers } from './services/metrics-samplers.ts';
import { createReportMemory } from './services/reports/report-memory.ts';
import { deferring } from './services/encryption/deferring-encrypter.ts';
import { registrationMs, registerProcess } from './services/process-registry.ts';
import { createSettingsCheck, type SettingsCheck } from './services/settings-check.ts';
import { isMoving } from './services/webhooks/backlog.ts';
import { lazyQueueDepth, lazyWorkers } from './workers/lazy.ts';

export interface App {
  port: number;
  services: Services;
  stop: () => Promise<void>;
}

/** The composition root: connects the stores, builds what services take from the outside, starts the APIs. */
export async function startApp(
  config: Config,
  log: Log,
  /** Called if the process cannot go on after its start. */
  onFailure: (error: Error) => void = (error) => log.error({ err: error }, 'cannot go on'),
): Promise<App> {
  const opened = await openServer(config, log);
  const resources = createResources((err) => log.warn({ err }, 'could not close a resource'));
  try {
    return await compose(config, log, { ...opened, onFailure, resources });
  } catch (error) {
    await Promise.all([opened.abandon(), resources.closeAll()]);
    throw error;
  }
}

async function compose(
  config: Config,
  log: Log,
  { server, serve, onFailure, resources }: OpenServer & { onFailure: (error: Error) => void; resources: Resources },
): Promise<App> {
  const encrypter = createEncrypter(config.encryptionKeys);
  for (const warning of configWarnings(config)) log.warn(warning);
  const [db, redis] = await Promise.all([
    resources.open(connectDb(config.mongoUri, log, { retention: config.retention }), (opened) => opened.close()),
    resources.open(openRedis(config.redisUrl, { ...config, log, reject: onFailure }), (opened) => opened.disconnect()),
  ]);
  const tools = { db, encrypter, clock: systemClock, log };
  const redisState = redisStateOf(redis, config.redisPrefix, { ...tools, database: db.users.db.name, registrationMs });
  const settingsCheck = createSettingsCheck(tools, redisState, config);
  resources.onClose(await registerProcess(tools, settingsCheck));
  const requestLimiter = createRequestLimiter({
    redis,
    log,
    prefix: config.redisPrefix,
    clock: systemClock,
    limits: config.rateLimits,
    countAccounts: (userId) => db.whileAvailable(db.accounts.countDocuments({ userId, disconnectedAt: null }).exec()),
  });
  const wake: Wake = { sender: newId(), relay: () => undefined };
  const logRejection = logRejections(log);
  const egress = createEgress(egressOptions(config));
  resources.onClose(() => egress.close());
  const limits = createLimiter({ redis, prefix: config.redisPrefix, log, withoutRedis: localPlatformLimits() });
  const media = createMediaSource({ egress, spool: createSpool(config.media.spoolDir), log, ...config.media });
  const platforms = createPlatforms(config.platforms, { media, log, limits });
  const feed = createPubSub(redis, config.redisPrefix, log);
  resources.onClose(feed.close);
  const subscriptionLimiter = createSubscriptionLimiter({
    redis,
    prefix: config.redisPrefix,
    log,
    limit: config.subscriptionsPerKey,
  });
  resources.onClose(subscriptionLimiter.close);
  const listing = createListing(config.platforms);
  const connectors = createConnectors(config.platforms, limits);
  const services: Services = {
    db,
    platforms,
    listing,
    refreshers: refreshersOf(platforms, connectors),
    connectors,
    publicUrl: config.publicUrl.replace(/\/$/, ''),
    clock: systemClock,
    log,
    encrypter: deferring(encrypter, log),
    markKeyRevoked: requestLimiter.markRevoked,
    egress: watchEgress(egress),
    deliveryTimes: config.webhooks,
    duplicationTimes: config.duplications,
    orderLeaseMs: config.orderLeaseMs,
    withLock: limits.withLock,
    limitDeliveryRate: createDeliveryRate({ redis, prefix: config.redisPrefix, clock: systemClock }),
    feed,
    subscriptionLimiter,
    reserveEdit: createEditLimiter({ redis, prefix: config.redisPrefix, log }),
    reserveFigureRead: createFigureReadLimiter({ redis, prefix: config.redisPrefix, log }),
    reportMemory: createReportMemory(),
    // The relay of this process runs at once, those of the others when they receive the message, or within a second.
    wakeRelay: () => {
      wake.relay();
      redis.publish(wakeChannel(config.redisPrefix), wake.sender).catch(logRejection);
    },
  };
  resources.onClose(startTracing(log, config.isTraced));
  resources.onClose(logDamagedDates(log));
  const queues = lazyQueueDepth(config);
  resources.onClose(queues.stop);
  const versionCheck = startVersionCheck((now) => versionWarnings(config.platforms, now), services);
  resources.onClose(versionCheck.stop);
  const versions = () => Promise.resolve(versionReadings(config.platforms, services.clock.now()));
  const admission = createAdmission(config.maxRunningRequests);
  const metrics = createMetrics([...createSamplers(services), queues.read, versions, admission.sample], log);
  resources.onClose(metrics.stop);
  const draining = createDraining(config.shutdown);
  const parts = { db, redis, encrypter, requestLimiter, metrics, draining, admission, settingsCheck };
  const listener = listen(config, services, parts);
  const workers = config.role === 'api' ? undefined : await lazyWorkers(services, config, wake);
  serve(listener);
  const stop = async (): Promise<void> => {
    const workersStopped = workers?.stop();
    await draining.drain();
    // What is watched ends first: it would keep its connections open.
    feed.close();
    subscriptionLimiter.close();
    await Promise.all([draining.close(server), workersStopped]);
    await resources.closeAll();
  };
  return { port: (server.address() as AddressInfo).port, services, stop };
}

interface Parts {
  db: Db;
  redis: Redis;
  encrypter: Encrypter;
  requestLimiter: RequestLimiter;
  metrics: Metrics;
  draining: Draining;
  admission: Admission;
  settingsCheck: SettingsCheck;
}

function listen(
  config: Config,
  services: Services,
  { db, redis, encrypter, requestLimiter, metrics, draining, admission, settingsCheck }: Parts,
): ReturnType<typeof createListener> {
  const authenticator = createAuthenticator(services, createKeyVerifier(services), requestLimiter);
  const rest = createRest(operations, authenticator, services.log);
  const graphqlSchema = config.graphql.introspection ? () => `${printSchema(schema)}\n` : undefined;
  const documents = { openApi: () => openApi(operationGroups), graphqlSchema };
  const site = createSite({ authenticator, services, encrypter, ...documents, rest });
  const mongo = { name: 'mongo', isReady: () => db.ping() };
  const queue = { name: 'redis', isReady: async () => (await redis.ping()) === 'PONG' };
  const webhooks = { name: 'webhooks', isReady: () => isMoving(services) };
  const logFailedCheck = atMostEvery(1_000, (err: unknown, check: string) => {
    if (!logOutage(services.log, err)) services.log.warn({ err, check }, 'a readiness check failed');
  });
  return createListener({
    admission,
    authenticator,
    cors: createCors(config.corsOrigins),
    rest: getRequestListener(site.fetch, {
      overrideGlobalObjects: false,
      hostname: 'localhost',
      errorHandler: (error) => {
        throw error instanceof RequestError ? unreadableAddress(error) : error;
      },
    }),
    graphql: createGraphQL({ introspection: config.graphql.introspection }),
    knownUnits,
    maxCost: config.graphql.maxCost,
    ...(config.graphql.explorer && {
      explorer: async (request: IncomingMessage) => {
        const acceptsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
        // With the demo key and ids, so that the examples work.
        const demo = isLocalDevelopment(config, request) ? await demoOf(config.dataDir, db.webhooks) : undefined;
        return graphiqlPage(demo, acceptsGzip);
      },
    }),
    metrics: { text: metrics.text, token: config.metricsToken, isProduction: config.isProduction },
    health: {
      isDraining: draining.isDraining,
      // An API process serves without Redis and whatever workers do; a worker does not.
      checks: config.role === 'api' ? [mongo] : [mongo, queue, webhooks],
      onFailure: logFailedCheck,
      warnings: () => [
        ...versionWarnings(config.platforms, services.clock.now()).map(({ text }) => text),
        ...settingsCheck.warnings(),
      ],
    },
    log: services.log,
  });
}
