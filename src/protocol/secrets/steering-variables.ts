// Recognizes variables that decide which code a program runs, such as `PATH`; each list names its source.
import { once } from '../../kit/index.ts';

/** Upper-case names separated by spaces. A `*` at the start or end matches any text. */
export type VariableList = readonly [source: string, names: string];

/** Ignores case, because Windows does. */
export const canSteerPrograms = (name: string): boolean => {
  // The system splits a variable at its first `=`.
  const upper = name.toUpperCase().replace(/=.*$/s, '');
  return !isHarmlessVariable(upper) && (isSteeringVariable(upper) || STEERING_WORD_PATTERN.test(upper));
};

export const listWords = (families: readonly VariableList[]): string[] =>
  families.flatMap(([, names]) => names.split(' '));

export const createNameCheck = (families: readonly VariableList[]): ((upper: string) => boolean) => {
  const read = once(() => {
    const names = listWords(families);
    return {
      exact: new Set(names.filter((name) => !name.includes('*'))),
      endings: names.filter((name) => name.startsWith('*')).map((name) => name.slice(1)),
      beginnings: names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1)),
    };
  });
  return (upper) => {
    const { exact, endings, beginnings } = read();
    return (
      exact.has(upper) ||
      beginnings.some((beginning) => upper.startsWith(beginning)) ||
      endings.some((ending) => upper.endsWith(ending))
    );
  };
};

/** Variables that make a harmless command run other code, find code elsewhere, or trust other files. */
const isSteeringVariable = createNameCheck([
  ['POSIX', 'PATH CDPATH HOME SHELL TMPDIR TMP TEMP'],
  ['Windows', 'PATHEXT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA SYSTEMROOT WINDIR COMSPEC'],
  ['PowerShell', 'PSMODULEPATH'],
  ['XDG base directories', 'XDG_*'],
  ['ld.so(8), dyld(1)', 'LD_* DYLD_*'],
  ['glibc', 'GCONV_PATH LOCPATH NLSPATH GLIBC_TUNABLES MALLOC_* HOSTALIASES RES_OPTIONS LOCALDOMAIN'],
  ['bash(1), zsh(1), dash(1)', 'BASH_* BASHOPTS SHELLOPTS ENV IFS PS4 PROMPT_COMMAND GLOBIGNORE ZDOTDIR FPATH ZSH_ENV'],
  ['bash(1), readline(3)', 'INPUTRC FCEDIT HISTFILE'],
  ['Node.js, Bun, Deno, Electron', 'NODE_* COREPACK_* BUN_* DENO_* TS_NODE_* TSX_* ELECTRON_* NVM_* VOLTA_*'],
  ['npm, Yarn, pnpm', 'NPM_* YARN_* PNPM_*'],
  [
    'tools for JavaScript',
    'BABEL_* JEST_* ESLINT_* ESBUILD_* SWC_* VITE_* PUPPETEER_* PLAYWRIGHT_* CHROME_PATH SASS_PATH',
  ],
  ['Python', 'PYTHON* PIP_* UV_* VIRTUAL_ENV CONDA_* PYTEST_* PIPENV_* POETRY_* TOX_* PYENV_* JUPYTER_* IPYTHONDIR'],
  ['Perl, Ruby, PHP', 'PERL* RUBY* GEM_* BUNDLE_* RBENV_* JRUBY_* PHPRC PHP_INI_SCAN_DIR PHP_* COMPOSER_*'],
  ['Lua, Tcl, R, Julia', 'LUA_* TCLLIBPATH TCL_LIBRARY TK_LIBRARY R_PROFILE* R_ENVIRON* R_LIBS* R_HOME JULIA_*'],
  ['Erlang, Elixir, Guile', 'ERL_* MIX_* HEX_* ELIXIR_* GUILE_*'],
  ['OCaml, Haskell, Dart', 'OCAML* CAML* OPAM* GHC* CABAL_* STACK_* DART_* PUB_*'],
  ['Go', 'GOFLAGS GOENV GOROOT GOPATH GOPROXY GOTOOLCHAIN GOAUTH GOVCS GOWORK GOBIN GOPACKAGESDRIVER GOCACHE*'],
  ['Go', 'GOMODCACHE GOSUMDB GOINSECURE GODEBUG CGO_*'],
  ['Cargo, rustc, rustup', 'CARGO_* RUSTC* RUSTUP_* RUSTFLAGS RUSTDOCFLAGS'],
  ['Java', 'CLASSPATH JAVA_* _JAVA_* JDK_* JVM_* MAVEN_* GRADLE_* ANT_* SBT_* SCALA_* KOTLIN_* LEIN_* CATALINA_*'],
  ['Hadoop, Spark', 'SPARK_HOME HADOOP_HOME'],
  ['.NET, Mono', 'DOTNET_* CORECLR_* COR_* COMPLUS_* MONO_* MSBUILD* NUGET_*'],
  ['make(1), CMake, SCons', 'MAKEFLAGS MAKEFILES GNUMAKEFLAGS CMAKE_* SCONSFLAGS BAZEL* MESON* NINJA* PROTOC*'],
  ['Autotools', 'CONFIG_SITE ACLOCAL* AUTOCONF AUTOM4TE M4 M4PATH LIBTOOL* PKG_CONFIG*'],
  ['gcc(1), binutils', 'CC CXX CPP AR AS LD NM RANLIB STRIP GCC_* CFLAGS CXXFLAGS CPPFLAGS LDFLAGS'],
  ['gcc(1)', 'COMPILER_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH'],
  ['ccache, distcc, sccache, icecream', 'CCACHE_* DISTCC_* SCCACHE_* ICECC_*'],
  ['LLVM, Xcode, Swift', 'LLVM_* CLANG_* LLDB_* DEVELOPER_DIR SDKROOT TOOLCHAINS XCODE_* SWIFT_*'],
  ['apt, dpkg, rpm, Nix, Homebrew', 'APT_* DPKG_* RPM_* NIX_* HOMEBREW_*'],
  ['mise, asdf, direnv', 'MISE_* ASDF_* DIRENV_*'],
  ['Qt, GTK, GStreamer', 'QT_* GTK_* GIO_* GST_* GDK_* GSETTINGS_*'],
  ['graphics and sound', 'VK_* OCL_* LIBVA_* MAGICK_* GS_LIB ALSA_CONFIG_* FONTCONFIG_*'],
  ['ICU', 'ICU_DATA'],
  ['Git, Mercurial, Subversion, CVS, Perforce', 'GIT_* HGRCPATH HGEDITOR HG* SVN_* CVS_* P4* WATCHMAN_*'],
  ['ssh(1), gpg(1), rsync(1), sudo(8)', 'SSH_* GPG_* GNUPGHOME RSYNC_* RSH SUDO_*'],
  ['environ(7)', 'EDITOR VISUAL PAGER MANPAGER BROWSER *_EDITOR *_PAGER *_BROWSER'],
  ['usage', '*_ASKPASS *_RSH *_SHELL *_SSH *_PASSWORD_COMMAND *PASSCOMMAND *_EXTERNAL_DIFF *_DEFAULT_COMMAND'],
  [
    'less(1), man(1), groff(1), TeX',
    'LESS LESSOPEN LESSCLOSE LESSKEY MANROFFOPT MANOPT GROFF_* TROFF* TEXINPUTS TEXMF*',
  ],
  ['awk, tar, zip, gzip, xz', 'AWKPATH AWKLIBPATH TAR_OPTIONS ZIPOPT UNZIP GZIP XZ_OPT'],
  ['vim(1), gdb(1), screen(1), tmux(1)', 'VIM VIMRUNTIME VIMINIT EXINIT MYVIMRC GDBHISTFILE SCREEN* TMUX*'],
  ['terminfo(5), mailcap(5), mail(1)', 'TERMINFO* TERMCAP MAILCAP* MAILRC'],
  ['parallel, Vagrant, Wine, QEMU, lynx', 'PARALLEL* VAGRANT_* WINE* QEMU_* LYNX_*'],
  ['systemd, D-Bus, X11', 'SYSTEMD_* DBUS_* DISPLAY XAUTHORITY'],
  ['ripgrep, fzf, bat', 'RIPGREP_CONFIG_PATH FZF_* BAT_*'],
  [
    'curl(1), wget(1)',
    'HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY *_PROXY CURL_HOME CURL_CA_BUNDLE WGETRC NETRC',
  ],
  ['OpenSSL, Requests', 'OPENSSL_* SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE REQUESTS_CA_BUNDLE'],
  ['usage', '*_CA_BUNDLE *_CA_CERTS *_CACERT *_CA_FILE *_CERT_FILE *_CERT_DIR'],
  ['model providers', 'OPENAI_BASE_URL ANTHROPIC_BASE_URL GOOGLE_GEMINI_BASE_URL'],
  ['Kerberos, SASL, p11-kit', 'KRB5_* SASL_PATH P11_KIT_*'],
  ['databases', 'ODBC* PGSERVICEFILE PGSYSCONFDIR PSQLRC PG* MYSQL_* SQLITE* REDISCLI_*'],
  ['clouds', 'AWS_* CLOUDSDK_* KUBECONFIG HELM_* DOCKER_* ANSIBLE_* TF_*'],
  ['GitHub CLI, GitHub Actions', 'GH_* GITHUB_PATH'],
  ['this library', 'HOOKWRIGHT_*'],
  [
    'Gemini CLI, Claude Code',
    'GEMINI_PROJECT_DIR GEMINI_CWD GEMINI_SESSION_ID CLAUDE_PROJECT_DIR CLAUDE_CWD CLAUDE_SESSION_ID',
  ],
]);

const isHarmlessVariable = createNameCheck([
  ['Node.js', 'NODE_ENV NODE_DEBUG NODE_NO_WARNINGS NODE_DISABLE_COLORS'],
  ['Python', 'PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 PYTHONDONTWRITEBYTECODE PYTHONHASHSEED'],
  // Extensions find their files by these variables.
  ['Gemini CLI', 'EXTENSIONPATH WORKSPACEPATH'],
  // Hooks use this prefix for their own variables, which no other program reads.
  ['this library', 'HOOK_*'],
]);

/** Words for a program to start or code to load: `GROFF_COMMAND_PREFIX`, `SWIFT_EXEC`. */
const STEERING_WORD_PATTERN =
  /(?:^|_)(?:EXEC|EXECUTABLE|COMMAND|CMD|WRAPPER|LAUNCHER|PRELOAD|LOADER|PLUGINS?|CONFIG|CONF|RC|RCFILE|INIT|STARTUP|FLAGS|OPTS|OPTIONS|BIN|BINARY|COMPILER|LINKER|INTERPRETER|PROGRAM|EDITOR|PAGER|VIEWER|BROWSER|SHELL|LIB|LIBS|LIBPATH|MODULES)(?:$|_)|(?<=[A-Z])PATH$/;
