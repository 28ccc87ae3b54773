/**
 * Variables that change which code a program runs, where it looks for it, or which files it takes for its own: the value
 * of one turns a harmless command into another. In upper case; `*` at the end or the beginning stands for anything.
 */
const steeringNames: readonly string[] = [
  // Where programs and files are found
  ...['PATH', 'PATHEXT', 'CDPATH', 'HOME', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA'],
  ...['PROGRAMDATA', 'SYSTEMROOT', 'WINDIR', 'COMSPEC', 'SHELL', 'TMPDIR', 'TMP', 'TEMP', 'XDG_*', 'PSMODULEPATH'],
  // The loader and the C library
  ...['LD_*', 'DYLD_*', 'GCONV_PATH', 'LOCPATH', 'NLSPATH', 'GLIBC_TUNABLES', 'MALLOC_*', 'HOSTALIASES'],
  // Shells
  ...['BASH_*', 'BASHOPTS', 'SHELLOPTS', 'ENV', 'IFS', 'PS4', 'PROMPT_COMMAND', 'GLOBIGNORE', 'ZDOTDIR', 'FPATH'],
  // Interpreters, build tools and package managers
  ...['NODE_*', 'NPM_*', 'YARN_*', 'PNPM_*', 'COREPACK_*', 'BUN_*', 'DENO_*', 'TS_NODE_*', 'ELECTRON_*'],
  ...['PYTHON*', 'PIP_*', 'UV_*', 'VIRTUAL_ENV', 'CONDA_*', 'PERL*', 'RUBY*', 'GEM_*', 'BUNDLE_*', 'PHPRC'],
  ...['PHP_INI_SCAN_DIR', 'LUA_*', 'TCLLIBPATH', 'R_PROFILE*', 'R_ENVIRON*', 'R_LIBS*', 'JULIA_*', 'ERL_*'],
  ...['GOFLAGS', 'GOENV', 'GOROOT', 'GOPATH', 'CARGO_*', 'RUSTC*', 'RUSTUP_*', 'CLASSPATH', 'JAVA_*', '_JAVA_*'],
  ...['JDK_*', 'MAVEN_*', 'GRADLE_*', 'DOTNET_*', 'CORECLR_*', 'COR_*', 'COMPLUS_*', 'MONO_*', 'MAKEFLAGS'],
  ...['MAKEFILES', 'GNUMAKEFLAGS', 'CMAKE_*', 'CC', 'CXX', 'CPP', 'AR', 'AS', 'LD', 'COMPILER_PATH', 'LIBRARY_PATH'],
  ...['CFLAGS', 'CXXFLAGS', 'CPPFLAGS', 'LDFLAGS', 'RUSTFLAGS', 'RUSTDOCFLAGS', 'CGO_*', 'GOPROXY', 'GOTOOLCHAIN'],
  ...['PYTEST_*', 'PIPENV_*', 'POETRY_*', 'TOX_*', 'BABEL_*', 'JEST_*', 'ESLINT_*', 'PUPPETEER_*', 'PLAYWRIGHT_*'],
  ...['GCC_*', 'CPATH', 'C_INCLUDE_PATH', 'CPLUS_INCLUDE_PATH', 'PKG_CONFIG*', 'ESBUILD_*', 'SWC_*', 'VITE_*', 'TSX_*'],
  ...['GOAUTH', 'GOVCS', 'GOWORK', 'GOBIN', 'GOPACKAGESDRIVER', 'GOCACHE*', 'GOMODCACHE', 'GOSUMDB', 'GOINSECURE'],
  ...[
    'GODEBUG',
    'CONFIG_SITE',
    'ACLOCAL*',
    'AUTOCONF',
    'AUTOM4TE',
    'M4',
    'M4PATH',
    'LIBTOOL*',
    'NM',
    'RANLIB',
    'STRIP',
  ],
  ...['ANT_*', 'SBT_*', 'SCALA_*', 'KOTLIN_*', 'JVM_*', 'JRUBY_*', 'LEIN_*', 'CATALINA_*', 'COMPOSER_*', 'PHP_*'],
  ...['MIX_*', 'HEX_*', 'ELIXIR_*', 'GUILE_*', 'OCAML*', 'CAML*', 'GHC*', 'CABAL_*', 'STACK_*', 'DART_*', 'PUB_*'],
  ...['MSBUILD*', 'NUGET_*', 'NIX_*', 'HOMEBREW_*', 'AWKPATH', 'AWKLIBPATH', 'TCL_LIBRARY', 'TK_LIBRARY', 'ICU_DATA'],
  // Plugins of larger libraries
  ...['QT_*', 'GTK_*', 'GIO_*', 'GST_*', 'GDK_*', 'VK_*', 'OCL_*', 'LIBVA_*', 'MAGICK_*', 'GS_LIB', 'ALSA_CONFIG_*'],
  // Programs that start others when told so
  ...['GIT_*', 'SSH_*', 'GPG_*', 'GNUPGHOME', 'RSYNC_*', 'SUDO_*', 'EDITOR', 'VISUAL', 'PAGER', 'MANPAGER', 'BROWSER'],
  ...['*_EDITOR', '*_PAGER', '*_BROWSER', '*_ASKPASS', '*_RSH', '*_SHELL', '*_SSH', '*_PASSWORD_COMMAND'],
  ...[
    '*PASSCOMMAND',
    '*_EXTERNAL_DIFF',
    '*_DEFAULT_COMMAND',
    'HGRCPATH',
    'HGEDITOR',
    'MANROFFOPT',
    'MANOPT',
    'TEXINPUTS',
  ],
  // Whom a program talks to, and whom it believes
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY', '*_PROXY', 'SSLKEYLOGFILE'],
  ...[
    '*_CA_BUNDLE',
    '*_CA_CERTS',
    '*_CACERT',
    '*_CA_FILE',
    '*_CERT_FILE',
    '*_CERT_DIR',
    'DBUS_*',
    'DISPLAY',
    'XAUTHORITY',
  ],
  ...['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'GOOGLE_GEMINI_BASE_URL'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE', 'RES_OPTIONS', 'LOCALDOMAIN'],
  ...['KRB5_*', 'SASL_PATH', 'ODBC*', 'PGSERVICEFILE', 'PGSYSCONFDIR', 'P11_KIT_*', 'NETRC'],
  ...[
    'LESS',
    'LESSOPEN',
    'LESSCLOSE',
    'LESSKEY',
    'TAR_OPTIONS',
    'CURL_HOME',
    'WGETRC',
    'OPENSSL_*',
    'VIMINIT',
    'EXINIT',
    'MYVIMRC',
    'PSQLRC',
  ],
  // Tools whose configuration may name programs to start
  ...[
    'AWS_*',
    'CLOUDSDK_*',
    'KUBECONFIG',
    'HELM_*',
    'DOCKER_*',
    'ANSIBLE_*',
    'TF_*',
    'GH_*',
    'RIPGREP_CONFIG_PATH',
    'FZF_*',
  ],
  ...['BAT_*', 'DIRENV_*', 'MISE_*', 'ASDF_*', 'NVM_*', 'VOLTA_*', 'PYENV_*', 'RBENV_*'],
  // Compilers, packagers and what they start instead
  ...['CCACHE_*', 'DISTCC_*', 'SCCACHE_*', 'ICECC_*', 'APT_*', 'DPKG_*', 'RPM_*', 'GROFF_*', 'TROFF*', 'SWIFT_*'],
  ...[
    'DEVELOPER_DIR',
    'SDKROOT',
    'TOOLCHAINS',
    'XCODE_*',
    'LLVM_*',
    'CLANG_*',
    'PROTOC*',
    'BAZEL*',
    'MESON*',
    'NINJA*',
  ],
  ...['TERMINFO*', 'TERMCAP', 'INPUTRC', 'FCEDIT', 'HISTFILE', 'MAILCAP*', 'FONTCONFIG_*', 'GSETTINGS_*', 'SYSTEMD_*'],
  ...['MYSQL_*', 'PG*', 'SQLITE*', 'REDISCLI_*', 'SVN_*', 'HG*', 'CVS_*', 'P4*', 'WATCHMAN_*', 'TMUX*', 'SCREEN*'],
  // Found by trying: libraries, archivers and environments whose manuals name a file or a program to start
  ...[
    'TEXMF*',
    'VAGRANT_*',
    'PARALLEL*',
    'VIM',
    'VIMRUNTIME',
    'SCONSFLAGS',
    'ZIPOPT',
    'UNZIP',
    'GZIP',
    'XZ_OPT',
    'RSH',
  ],
  ...['MAILRC', 'R_HOME', 'ZSH_ENV', 'SASS_PATH', 'JUPYTER_*', 'IPYTHONDIR', 'WINE*', 'QEMU_*', 'OPAM*', 'LYNX_*'],
  ...['SPARK_HOME', 'HADOOP_HOME', 'GDBHISTFILE', 'LLDB_*', 'CHROME_PATH', 'GITHUB_PATH'],
  // Where this library looks, and what it and other agents tell their hooks
  ...['HOOKWRIGHT_*', 'GEMINI_PROJECT_DIR', 'GEMINI_CWD', 'GEMINI_SESSION_ID'],
  ...['CLAUDE_PROJECT_DIR', 'CLAUDE_CWD', 'CLAUDE_SESSION_ID'],
];

/** Of the families above, what changes how much is said and nothing else. */
const harmless = new Set([
  ...['NODE_ENV', 'NODE_DEBUG', 'NODE_NO_WARNINGS', 'NODE_DISABLE_COLORS'],
  // What an extension finds its own files by.
  ...['EXTENSIONPATH', 'WORKSPACEPATH'],
  ...['PYTHONUNBUFFERED', 'PYTHONIOENCODING', 'PYTHONUTF8', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED'],
]);

const exact = new Set(steeringNames.filter((name) => !name.includes('*')));
const endings = steeringNames.filter((name) => name.startsWith('*')).map((name) => name.slice(1));
const beginnings = steeringNames.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));

/** Words of a name that make a program start or load something else, whatever program that is: `GROFF_COMMAND_PREFIX`, `SWIFT_EXEC`. */
const steeringWords =
  /(?:^|_)(?:EXEC|EXECUTABLE|COMMAND|CMD|WRAPPER|LAUNCHER|PRELOAD|LOADER|PLUGINS?|CONFIG|CONF|RC|RCFILE|INIT|STARTUP|FLAGS|OPTS|OPTIONS|BIN|BINARY|COMPILER|LINKER|INTERPRETER|PROGRAM|EDITOR|PAGER|VIEWER|BROWSER|SHELL|LIB|LIBS|LIBPATH|MODULES)(?:$|_)|(?<=[A-Z])PATH$/;

/** A hook names its own variables so; no program of another maker reads them. */
const OWN_PREFIX = 'HOOK_';

/** Whether setting this variable could change which code runs. Case does not save a name: Windows knows none. */
export const steersPrograms = (name: string): boolean => {
  // Where a name ends is the first `=` of what the process is given.
  const upper = name.toUpperCase().replace(/=.*$/s, '');
  if (harmless.has(upper) || upper.startsWith(OWN_PREFIX)) return false;
  return (
    exact.has(upper) ||
    steeringWords.test(upper) ||
    beginnings.some((beginning) => upper.startsWith(beginning)) ||
    endings.some((ending) => upper.endsWith(ending))
  );
};
