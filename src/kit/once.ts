/** Builds a value on first use. Schemas are made this way so that importing the package costs next to nothing. */
export const once = <T>(build: () => T): (() => T) => {
  let built: { value: T } | undefined;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
};
