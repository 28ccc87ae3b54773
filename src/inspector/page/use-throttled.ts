// A Preact hook that passes on a changing value at most once per second.
import { useEffect, useRef, useState } from 'preact/hooks';

const UPDATE_INTERVAL_MS = 1_000;

export const useThrottled = <Value>(latest: Value): Value => {
  const [shown, setShown] = useState(latest);
  const shownAt = useRef(Number.NEGATIVE_INFINITY);
  const wanted = useRef(latest);
  const timer = useRef<number>(undefined);
  wanted.current = latest;
  useEffect(() => {
    if (timer.current !== undefined) return;
    const show = (): void => {
      timer.current = undefined;
      shownAt.current = performance.now();
      setShown(wanted.current);
    };
    const wait = shownAt.current + UPDATE_INTERVAL_MS - performance.now();
    if (wait <= 0) show();
    else timer.current = window.setTimeout(show, wait);
  }, [latest]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return shown;
};
