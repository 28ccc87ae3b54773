/** Works on items as they come, on so many at once. The first failure ends it; what is under way then is waited for. */
export const inParallel = async <Item>(
  items: AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  for await (const item of items) {
    const job: Promise<void> = work(item).then(
      () => void running.delete(job),
      (error: unknown) => {
        running.delete(job);
        failure ??= { error };
      },
    );
    running.add(job);
    if (running.size >= limit) await Promise.race(running);
    if (failure !== undefined) break;
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure.error;
};
