/** All items of pages. A page can be a whole file, which has more items than a call can have arguments. */
export async function collect<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pages) for (const item of page) items.push(item);
  return items;
}
