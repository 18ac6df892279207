/** The headers of a text file that browsers save under a name. */
export const attachmentHeaders = (mediaType: string, name: string): Record<string, string> => ({
  'Content-Type': `${mediaType}; charset=utf-8`,
  'Content-Disposition': `attachment; filename="${name}"`,
});
