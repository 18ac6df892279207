import './account.ts';
import './ad.ts';
import './api-key.ts';
import './delivery.ts';
import './profile.ts';
import './viewer.ts';
import './webhook.ts';
import { builder } from './builder.ts';

export const schema = builder.toSchema({ sortSchema: true });
