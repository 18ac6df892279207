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
import { builder } from './builder.ts';

export const schema = builder.toSchema({ sortSchema: true });
