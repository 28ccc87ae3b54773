import { describe, expect, test } from 'vitest';
import { classifyAddress, readTarget } from '../../../../src/runners/lanes/http/target.ts';

describe('F54 where an address leads', () => {
  test.each([
    ['93.184.216.34', 'public'],
    ['2606:4700::1111', 'public'],
    ['64:ff9b::5db8:d822', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.1', 'public'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd12::1', 'private'],
    ['169.254.169.254', 'forbidden'],
    ['100.100.100.200', 'forbidden'],
    ['168.63.129.16', 'forbidden'],
    ['fd00:ec2::254', 'forbidden'],
    ['fe80::1%eth0', 'forbidden'],
    ['0.0.0.0', 'forbidden'],
    ['::', 'forbidden'],
    ['255.255.255.255', 'forbidden'],
    ['ff02::1', 'forbidden'],
    ['::ffff:a9fe:a9fe', 'forbidden'],
    ['::ffff:169.254.169.254', 'forbidden'],
    ['::ffff:127.0.0.1', 'forbidden'],
    ['::7f00:1', 'forbidden'],
    ['::ffff:0:7f00:1', 'forbidden'],
    ['64:ff9b::a9fe:a9fe', 'forbidden'],
    ['64:ff9b:1::7f00:1', 'forbidden'],
    ['2002:a9fe:a9fe::', 'forbidden'],
    ['2001:0:4136:e378:8000:63bf:5601:5601', 'forbidden'],
    ['fe80::5efe:a00:1', 'forbidden'],
    ['2606::5efe:a00:1', 'forbidden'],
    ['not an address', 'forbidden'],
  ])('%s is %s', (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  });
});

const refusal = (url: string, address: string, mayGoInward = true): string | undefined => {
  const read = readTarget(url, mayGoInward);
  if (!read.ok) throw new Error(read.message);
  return read.target.refuses(address);
};

describe('F54 what a URL may lead to', () => {
  test.each([
    ['https://hooks.example.com/x', '93.184.216.34'],
    ['http://127.0.0.1:8080/x', '127.0.0.1'],
    ['http://user:word@127.0.0.1/x', '127.0.0.1'],
    ['http://[::1]/x', '::1'],
    ['http://localhost:1/x', '127.0.0.1'],
    ['http://LOCALHOST/x', '::1'],
    ['http://10.0.0.7/x', '10.0.0.7'],
  ])('%s may lead to %s', (url, address) => {
    expect(refusal(url, address)).toBeUndefined();
  });

  test.each([
    ['http://hooks.example.com/x', '127.0.0.1'],
    ['http://hooks.example.com/x', '10.0.0.1'],
    ['http://app.localhost/x', '127.0.0.1'],
    ['http://localhost./x', '127.0.0.1'],
    ['http://localhost/x', '10.0.0.1'],
    ['http://localhost/x', '93.184.216.34'],
    ['http://2130706433/x', '127.0.0.1'],
    ['http://0x7f.1/x', '127.0.0.1'],
    ['http://0177.0.0.1/x', '127.0.0.1'],
    ['http://127.1/x', '127.0.0.1'],
    ['http:\\\\127.1/x', '127.0.0.1'],
    ['http://127.0.0.1@127.1/x', '127.0.0.1'],
    ['http://[::ffff:7f00:1]/x', '::ffff:7f00:1'],
    ['http://[::ffff:a9fe:a9fe]/x', '::ffff:a9fe:a9fe'],
    ['http://0.0.0.0/x', '0.0.0.0'],
    ['http://169.254.169.254/x', '169.254.169.254'],
    ['http://[64:ff9b::a9fe:a9fe]/x', '64:ff9b::a9fe:a9fe'],
    ['http://[2002:a9fe:a9fe::]/x', '2002:a9fe:a9fe::'],
  ])('%s may not lead to %s', (url, address) => {
    expect(refusal(url, address)).toEqual(expect.any(String));
  });

  test.each(['http://127.0.0.1/x', 'http://localhost/x', 'http://10.0.0.1/x', 'http://[::1]/x'])(
    'F60 a project that nobody approved does not go to %s',
    (url) => {
      const read = readTarget(url, false);
      if (!read.ok) throw new Error(read.message);
      expect(read.target.refuses(read.target.literal ?? '127.0.0.1')).toContain('approval');
    },
  );

  test.each(['file:///etc/passwd', 'ftp://example.com', 'not a url', ''])('"%s" is no endpoint', (url) => {
    expect(readTarget(url, true)).toMatchObject({ ok: false, message: expect.stringContaining('the url must') });
  });
});
