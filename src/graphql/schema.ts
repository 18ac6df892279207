import './operations.ts';
import './relations.ts';
import './relation-lists.ts';
import './insights.ts';
import { builder } from './builder.ts';

export const schema = builder.toSchema({ sortSchema: true });
