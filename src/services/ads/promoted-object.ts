import type { Goal } from '../../contract/ad-enums.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { Warning } from '../../contract/common.ts';
import type { AdPlatform } from '../../contract/platforms.ts';

type Promoted = NonNullable<CreateAdInput['promotedObject']>;
type Member = keyof Promoted;

const conversion: Member[] = ['pixelId', 'customEventType', 'customConversionId'];
const used: Record<Goal, readonly Member[]> = {
  engagement: [],
  traffic: [],
  awareness: [],
  video_views: [],
  lead_generation: conversion,
  conversions: [...conversion, 'productCatalogId', 'productSetId'],
  app_promotion: ['applicationId', 'objectStoreUrl', 'customEventType'],
};

/** Platform A rejects mixtures, so fields that the goal does not use are ignored with a warning. */
export function withUsedMembers(
  input: CreateAdInput,
  platform: AdPlatform,
): { input: CreateAdInput; warnings: Warning[] } {
  const { goal, promotedObject } = input;
  if (platform !== 'A' || !goal || !promotedObject) return { input, warnings: [] };
  const isForm = goal === 'lead_generation' && promotedObject.leadFormId !== undefined;
  // Every ad is published as a page.
  const kept: readonly Member[] = isForm ? ['pageId', 'leadFormId'] : ['pageId', ...used[goal]];
  const members = Object.entries(promotedObject) as [Member, unknown][];
  const foreign = members.filter(([name, value]) => value !== undefined && !kept.includes(name));
  if (foreign.length === 0) return { input, warnings: [] };
  const rest = Object.fromEntries(members.filter(([name]) => kept.includes(name))) as Promoted;
  const why = isForm ? 'a lead form counts its leads itself' : `the goal ${goal} does not use it`;
  return {
    input: { ...input, promotedObject: rest },
    warnings: foreign.map(([name]) => ({ param: `promotedObject.${name}`, message: `is ignored: ${why}` })),
  };
}
