import './account.ts';
import './ad.ts';
import './ad-steering.ts';
import './api-key.ts';
import './connect.ts';
import './campaign.ts';
import './delivery.ts';
import './discovery.ts';
import './listing.ts';
import './duplication.ts';
import './look-up.ts';
import './profile.ts';
import './viewer.ts';
import './webhook.ts';
import { rateSentence } from '../contract/rate-weights.ts';
import { builder } from './builder.ts';

export const schema = builder.toSchema({ sortSchema: true });

for (const type of [schema.getQueryType(), schema.getMutationType()]) {
  for (const field of Object.values(type?.getFields() ?? {})) {
    field.description = [field.description, rateSentence(field.name)].filter(Boolean).join(' ');
  }
}
