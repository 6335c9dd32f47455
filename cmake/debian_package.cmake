# `cpack` makes gradsim_VERSION_ARCHITECTURE.deb of what `install` installs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gradsim)
set(CPACK_PACKAGE_CONTACT "the gradsim authors <gradsim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of data-parallel deep-learning training over real networks")
set(CPACK_PACKAGE_DESCRIPTION
  "Predicts step times, bytes, accuracy and cost of a training run on a cluster, under a communication policy.
Programs: sim (scenarios, sweeps, advice, reports) and calibrate (measurements become parameters).")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # the libraries that the programs ask for, by dpkg-shlibdeps
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libjs-chart.js)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openmpi-bin, python3")
include(CPack)
