import './operations.ts';
import './campaign.ts';
import { builder } from './builder.ts';

export const schema = builder.toSchema({ sortSchema: true });
