import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { Warning } from '../../contract/common.ts';
import { platforms, type AdPlatform } from '../../contract/platforms.ts';
import type { Capability } from '../../contract/capability.ts';

type Promoted = NonNullable<CreateAdInput['promotedObject']>;
type Member = keyof Promoted;

/** Ignores members that the goal does not use, with a warning, if the platform rejects mixtures. */
export function withUsedMembers(
  input: CreateAdInput,
  platform: AdPlatform,
): { input: CreateAdInput; warnings: Warning[] } {
  const { goal, promotedObject } = input;
  const { promotedMembers: used }: Capability = platforms[platform];
  if (!used || !goal || !promotedObject) return { input, warnings: [] };
  const isForm = goal === 'lead_generation' && promotedObject.leadFormId !== undefined;
  const kept: readonly string[] = isForm ? ['pageId', 'leadFormId'] : used[goal];
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
