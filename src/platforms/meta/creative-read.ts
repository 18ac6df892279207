import { z } from 'zod';
import type { FoundCreative } from '../platform.ts';

const text = z.string().optional();
const Button = z.object({ type: text, value: z.object({ link: text }).optional() }).optional();

export const CreativeWire = z.object({
  url_tags: text,
  object_story_spec: z
    .object({
      link_data: z.object({ link: text, name: text, message: text, picture: text, call_to_action: Button }).optional(),
      video_data: z.object({ title: text, message: text, image_url: text, call_to_action: Button }).optional(),
    })
    .optional(),
});

/** The creative of an ad, unless it uses an existing post. */
export function creativeOf(creative: z.infer<typeof CreativeWire> | undefined): FoundCreative | undefined {
  const { link_data: link, video_data: video } = creative?.object_story_spec ?? {};
  if (link) {
    const { name: headline, message: body, link: linkUrl, picture: imageUrl, call_to_action: button } = link;
    return present({ headline, body, linkUrl, imageUrl, callToAction: button?.type });
  }
  if (!video) return undefined;
  const { title: headline, message: body, call_to_action: button } = video;
  return present({ headline, body, linkUrl: button?.value?.link, callToAction: button?.type });
}

function present(creative: FoundCreative): FoundCreative | undefined {
  const entries = Object.entries(creative).filter(([, value]) => value !== undefined);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
