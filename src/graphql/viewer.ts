import { Viewer } from '../contract/viewer.ts';
import { findViewer } from '../services/users/find-viewer.ts';
import { builder } from './builder.ts';
import { objectType } from './from-contract.ts';

builder.queryField('viewer', (t) =>
  t.field({
    type: objectType(Viewer),
    description: 'Who the key belongs to and what it may do. A free check of credentials.',
    resolve: (_root, _args, ctx) => findViewer(ctx),
  }),
);
