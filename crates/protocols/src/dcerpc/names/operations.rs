//! Interfaces and their operations (C706, MS-DCOM, MS-DRSR, MS-EVEN, MS-LSAD, MS-NRPC, MS-RPRN, MS-RRP, MS-SAMR,
//! MS-SCMR, MS-SRVS, MS-TSCH, MS-WKST, MS-WMI and others).

use super::{Interface, interface};

/// All of them.
pub(super) const INTERFACES: &[Interface] = &[
    interface(0xe1af8308_5d1f_11c9_91a4_08002b14a0fa, "epmapper", EPMAPPER),
    interface(0xafa8bd80_7d8a_11c9_bef4_08002b102989, "mgmt", MANAGEMENT),
    interface(0x99fcfec4_5260_101b_bbcb_00aa0021347a, "IObjectExporter", OBJECT_EXPORTER),
    interface(0x4d9f4ab8_7d1c_11cf_861e_0020af6e7c57, "IActivation", "RemoteActivation"),
    interface(0x000001a0_0000_0000_c000_000000000046, "IRemoteSCMActivator", ACTIVATOR),
    interface(0x00000143_0000_0000_c000_000000000046, "IRemUnknown2", REMOTE_UNKNOWN),
    interface(0x9556dc99_828c_11cf_a37e_00aa003240c7, "IWbemServices", WMI_SERVICES),
    interface(0xf309ad18_d86a_11d0_a075_00c04fb68820, "IWbemLevel1Login", WMI_LOGIN),
    interface(0xd4781cd6_e5d3_44df_ad94_930efe48a887, "IWbemLoginClientID", ""),
    interface(0x44aca674_e8fc_11d0_a07c_00c04fb68820, "IWbemContext interface", ""),
    interface(0x674b6698_ee92_11d0_ad71_00c04fd8fdff, "IWbemContext unmarshaler", ""),
    interface(0xdc12a681_737f_11cf_884d_00aa004b2e24, "IWbemClassObject interface", ""),
    interface(0x4590f812_1d3a_11d0_891f_00aa004b2e24, "IWbemClassObject unmarshaler", ""),
    interface(0x9a653086_174f_11d2_b5f9_00104b703efd, "IWbemClassObject interface", ""),
    interface(0x7c857801_7381_11cf_884d_00aa004b2e24, "IWbemObjectSink interface", ""),
    interface(0x027947e1_d731_11ce_a357_000000000001, "IEnumWbemClassObject interface", ""),
    interface(0x44aca675_e8fc_11d0_a07c_00c04fb68820, "IWbemCallResult interface", ""),
    interface(0xc49e32c7_bc8b_11d2_85d4_00105a1f8304, "IWbemBackupRestore interface", ""),
    interface(0xc49e32c6_bc8b_11d2_85d4_00105a1f8304, "IWbemBackupRestoreEx interface", ""),
    interface(0xa359dec5_e813_4834_8a2a_ba7f1d777d76, "IWbemBackupRestoreEx interface", ""),
    interface(0xf1e9c5b2_f59b_11d2_b362_00105a1f8177, "IWbemRemoteRefresher interface", ""),
    interface(0x2c9273e0_1dc3_11d3_b364_00105a1f8177, "IWbemRefreshingServices interface", ""),
    interface(0x423ec01e_2e35_11d2_b604_00104b703efd, "IWbemWCOSmartEnum interface", ""),
    interface(0x1c1c45ee_4395_11d2_b60b_00104b703efd, "IWbemFetchSmartEnum interface", ""),
    interface(0x12345678_1234_abcd_ef00_01234567cffb, "netlogon", NETLOGON),
    interface(0x12345778_1234_abcd_ef00_0123456789ab, "lsarpc", LSA),
    interface(0x12345778_1234_abcd_ef00_0123456789ac, "samr", SAM),
    interface(0xe3514235_4b06_11d1_ab04_00c04fc2dcd2, "drsuapi", REPLICATION),
    interface(0x3919286a_b10c_11d0_9ba8_00c04fd92ef5, "dssetup", DIRECTORY_SETUP),
    interface(0xf5cc59b4_4264_101a_8c59_08002b2f8426, "FrsRpc", FILE_REPLICATION),
    interface(0x3dde7c30_165d_11d1_ab8f_00805f14db40, "BackupKey", "bkrp_BackupKey"),
    interface(0x4b324fc8_1670_01d3_1278_5a47bf6ee188, "srvsvc", SERVER),
    interface(0x6bffd098_a112_3610_9833_46c3f87e345a, "wkssvc", WORKSTATION),
    interface(0x4fc742e0_4a10_11cf_8273_00aa004ae673, "netdfs", DFS),
    interface(0x6bffd098_a112_3610_9833_012892020162, "browser", BROWSER),
    interface(0x367abb81_9844_35f1_ad32_98f038001003, "svcctl", SERVICES),
    interface(0x338cd001_2244_31f1_aaaa_900038001003, "winreg", REGISTRY),
    interface(
        0x1ff70682_0a51_30e8_076d_740be8cee98b,
        "atsvc",
        "NetrJobAdd NetrJobDel NetrJobEnum NetrJobGetInfo",
    ),
    interface(0x378e52b0_c0a9_11cf_822d_00aa0051e40f, "sasec", TASK_ACCOUNTS),
    interface(0x86d35949_83c9_4044_b424_db363231fd0c, "ITaskSchedulerService", TASKS),
    interface(0x0a74ef1c_41a4_4e06_83ae_dc74fb1cdd53, "idletask", IDLE_TASKS),
    interface(0x894de0c0_0d55_11d3_a322_00c04fa321a1, "InitShutdown", SHUTDOWN),
    interface(
        0xd95afe70_a6d5_4259_822e_2c84da1ddb0d,
        "WindowsShutdown",
        "WsdrInitiateShutdown WsdrAbortShutdown",
    ),
    interface(0x12345678_1234_abcd_ef00_0123456789ab, "spoolss", PRINTERS),
    interface(0x76f03f96_cdfd_44fc_a22c_64950a001209, "IRemoteWinspool", ASYNC_PRINTERS),
    interface(0x0b6edbfa_4a24_4fc6_8a23_942b1eca65d1, "IRPCAsyncNotify", ""),
    interface(0xae33069b_a2a8_46ee_a235_ddfd339be281, "IRPCRemoteObject", ""),
    interface(0x82273fdc_e32a_18c3_3f78_827929dc23ea, "eventlog", EVENTS),
    interface(0x50abc2a4_574d_40b3_9d66_ee4fd5fba076, "dnsserver", DNS_SERVER),
    interface(0x91ae6020_9e3c_11cf_8d7c_00aa00c091be, "ICertPassage", "CertServerRequest"),
    interface(0x0d72a7d4_6148_11d1_b4aa_00c04fb66ea0, "ICertProtect", ""),
    interface(0x8d0ffe72_d252_11d0_bf8f_00c04fd9126b, "IKeySvc", ""),
    interface(0x68b58241_c259_4f03_a2e5_a2651dcbc930, "IKeySvc2", ""),
    interface(0xf5cc5a18_4264_101a_8c59_08002b2f8426, "nspi", NAME_SERVICE),
    interface(0xa4f1db00_ca47_1067_b31f_00dd010662da, "exchange_mapi", MAPI),
    interface(0x1544f5e0_613c_11d1_93df_00c04fd7bd09, "exchange_rfr", ""),
    interface(0x5261574a_4572_206e_b268_6b199213b4e4, "AsyncEMSMDB", ""),
    interface(0x45f52c28_7f9f_101a_b52b_08002b2efabe, "winspipe", WINS),
    interface(0x906b0ce0_c70b_1067_b317_00dd010662da, "IXnRemote", ""),
    interface(0x51c82175_844e_4750_b0d8_ec255555bc06, "KMS", ""),
    interface(0x17fdd703_1827_4e34_79d4_24a55c53bb37, "msgsvc", MESSENGER),
    interface(0x5a7b91f8_ff00_11d0_a9b2_00c04fb6e6fc, "msgsvcsend", "NetrSendMessage"),
    interface(0x8d9f4e40_a03d_11ce_8f69_08003e30051b, "pnp", ""),
    interface(0x5ca4a760_ebb1_11cf_8611_00a0245420ed, "winstation_rpc", ""),
    interface(0x12b81e99_f207_4a4c_85d3_77b42f76fd14, "ISeclogon", ""),
    interface(0x3c4728c5_f0ab_448b_bda1_6ce01eb0a6d5, "RpcSrvDHCPC", ""),
    interface(0x3c4728c5_f0ab_448b_bda1_6ce01eb0a6d6, "dhcpcsvc6", ""),
    interface(0x342cfd40_3c6c_11ce_a893_08002b2e9c6d, "llsrpc", ""),
    interface(0x57674cd0_5200_11ce_a897_08002b2e9c6d, "lls_license", "LlsrLicenseRequestW LlsrLicenseFree"),
    interface(0x83da7c00_e84f_11d2_9807_00c04f8ec850, "sfcapi", ""),
    interface(0x2f5f3220_c126_1076_b549_074d078619da, "nddeapi", ""),
    interface(0x2f59a331_bf7d_48cb_9ec5_7c090d76e8b8, "lcrpc", ""),
    interface(0x3d267954_eeb7_11d1_b94e_00c04fa3080d, "HydraLsPipe", ""),
    interface(0x3faf4738_3a21_4307_b46c_fdda9bb8c0d5, "AudioSrv", ""),
    interface(0xc386ca3e_9061_4a72_821e_498d83be188f, "AudioRpc", ""),
    interface(0xc8cb7687_e6d3_11d2_a958_00c04f682e16, "DAV RPC SERVICE", ""),
    interface(0xf50aac00_c7f3_428e_a022_a6b71bfb9d43, "ICatDBSvc", ""),
    interface(0xd6d70ef0_0e3b_11cb_acc3_08002b1d29c3, "NsiS", ""),
    interface(0xd3fbb514_0e3b_11cb_8fad_08002b1d29c3, "NsiC", ""),
    interface(0xd6d70ef0_0e3b_11cb_acc3_08002b1d29c4, "NsiM", ""),
];

const EPMAPPER: &str = "ept_insert ept_delete ept_lookup ept_map ept_lookup_handle_free ept_inq_object \
    ept_mgmt_delete ept_map_auth ept_map_auth_async";

const MANAGEMENT: &str = "inq_if_ids inq_stats is_server_listening stop_server_listening inq_princ_name";

const OBJECT_EXPORTER: &str = "ResolveOxid SimplePing ComplexPing ServerAlive ResolveOxid2 ServerAlive2";

const ACTIVATOR: &str = "QueryInterfaceIRemoteSCMActivator AddRefIRemoteISCMActivator ReleaseIRemoteISCMActivator \
    RemoteGetClassObject RemoteCreateInstance";

const REMOTE_UNKNOWN: &str =
    "QueryInterface AddRef Release RemQueryInterface RemAddRef RemRelease RemQueryInterface2";

const WMI_SERVICES: &str = "- - - OpenNamespace CancelAsyncCall QueryObjectSink GetObject GetObjectAsync PutClass \
    PutClassAsync DeleteClass DeleteClassAsync CreateClassEnum CreateClassEnumAsync PutInstance PutInstanceAsync \
    DeleteClass DeleteClassAsync CreateInstanceEnum CreateInstanceEnumAsync ExecQuery ExecQueryAsync \
    ExecNotificationQuery ExecNotificationQueryAsync ExecMethod ExecMethodAsync";

const WMI_LOGIN: &str = "- - - EstablishPosition RequestChallenge WBEMLogin NTLMLogin";

const NETLOGON: &str = "NetrLogonUasLogon NetrLogonUasLogoff NetrLogonSamLogon NetrLogonSamLogoff \
    NetrServerReqChallenge NetrServerAuthenticate NetrServerPasswordSet NetrDatabaseDeltas NetrDatabaseSync \
    NetrAccountDeltas NetrAccountSync NetrGetDCName NetrLogonControl NetrGetAnyDCName NetrLogonControl2 \
    NetrServerAuthenticate2 NetrDatabaseSync2 NetrDatabaseRedo NetrLogonControl2Ex NetrEnumerateTrustedDomains \
    DsrGetDcName NetrLogonGetCapabilities NetrLogonSetServiceBits NetrLogonGetTrustRid \
    NetrLogonComputeServerDigest NetrLogonComputeClientDigest NetrServerAuthenticate3 DsrGetDcNameEx \
    DsrGetSiteName NetrLogonGetDomainInfo NetrServerPasswordSet2 NetrServerPasswordGet NetrLogonSendToSam \
    DsrAddressToSiteNamesW DsrGetDcNameEx2 NetrLogonGetTimeServiceParentDomain NetrEnumerateTrustedDomainsEx \
    DsrAddressToSiteNamesExW DsrGetDcSiteCoverageW NetrLogonSamLogonEx DsrEnumerateDomainTrusts \
    DsrDeregisterDnsHostRecords NetrServerTrustPasswordsGet DsrGetForestTrustInformation \
    NetrGetForestTrustInformation NetrLogonSamLogonWithFlags NetrServerGetTrustInfo unused \
    DsrUpdateReadOnlyServerDnsRecords NetrChainSetClientAttributes";

const LSA: &str = "LsarClose LsarDelete LsarEnumeratePrivileges LsarQuerySecurityObject LsarSetSecurityObject \
    LsarChangePassword LsarOpenPolicy LsarQueryInformationPolicy LsarSetInformationPolicy LsarClearAuditLog \
    LsarCreateAccount LsarEnumerateAccounts LsarCreateTrustedDomain LsarEnumerateTrustedDomains LsarLookupNames \
    LsarLookupSids LsarCreateSecret LsarOpenAccount LsarEnumeratePrivilegesAccount LsarAddPrivilegesToAccount \
    LsarRemovePrivilegesFromAccount LsarGetQuotasForAccount LsarSetQuotasForAccount LsarGetSystemAccessAccount \
    LsarSetSystemAccessAccount LsarOpenTrustedDomain LsarQueryInfoTrustedDomain LsarSetInformationTrustedDomain \
    LsarOpenSecret LsarSetSecret LsarQuerySecret LsarLookupPrivilegeValue LsarLookupPrivilegeName \
    LsarLookupPrivilegeDisplayName LsarDeleteObject LsarEnumerateAccountsWithUserRight \
    LsarEnumerateAccountRights LsarAddAccountRights LsarRemoveAccountRights LsarQueryTrustedDomainInfo \
    LsarSetTrustedDomainInfo LsarDeleteTrustedDomain LsarStorePrivateData LsarRetrievePrivateData \
    LsarOpenPolicy2 LsarGetUserName LsarQueryInformationPolicy2 LsarSetInformationPolicy2 \
    LsarQueryTrustedDomainInfoByName LsarSetTrustedDomainInfoByName LsarEnumerateTrustedDomainsEx \
    LsarCreateTrustedDomainEx LsarCloseTrustedDomainEx LsarQueryDomainInformationPolicy \
    LsarSetDomainInformationPolicy LsarOpenTrustedDomainByName LsarTestCall LsarLookupSids2 LsarLookupNames2 \
    LsarCreateTrustedDomainEx2 CredrWrite CredrRead CredrEnumerate CredrWriteDomainCredentials \
    CredrReadDomainCredentials CredrDelete CredrGetTargetInfo CredrProfileLoaded LsarLookupNames3 \
    CredrGetSessionTypes LsarRegisterAuditEvent LsarGenAuditEvent LsarUnregisterAuditEvent \
    LsarQueryForestTrustInformation LsarSetForestTrustInformation CredrRename LsarLookupSids3 LsarLookupNames4 \
    LsarOpenPolicySce LsarAdtRegisterSecurityEventSource LsarAdtUnregisterSecurityEventSource \
    LsarAdtReportSecurityEvent CredrFindBestCredential LsarSetAuditPolicy LsarQueryAuditPolicy \
    LsarEnumerateAuditPolicy LsarEnumerateAuditCategories LsarEnumerateAuditSubCategories \
    LsarLookupAuditCategoryName LsarLookupAuditSubCategoryName LsarSetAuditSecurity LsarQueryAuditSecurity \
    CredReadByTokenHandle CredrRestoreCredentials CredrBackupCredentials";

const SAM: &str = "SamrConnect SamrCloseHandle SamrSetSecurityObject SamrQuerySecurityObject SamrShutdownSamServer \
    SamrLookupDomainInSamServer SamrEnumerateDomainsInSamServer SamrOpenDomain SamrQueryInformationDomain \
    SamrSetInformationDomain SamrCreateGroupInDomain SamrEnumerateGroupsInDomain SamrCreateUserInDomain \
    SamrEnumerateUsersInDomain SamrCreateAliasInDomain SamrEnumerateAliasesInDomain SamrGetAliasMembership \
    SamrLookupNamesInDomain SamrLookupIdsInDomain SamrOpenGroup SamrQueryInformationGroup \
    SamrSetInformationGroup SamrAddMemberToGroup SamrDeleteGroup SamrRemoveMemberFromGroup SamrGetMembersInGroup \
    SamrSetMemberAttributesOfGroup SamrOpenAlias SamrQueryInformationAlias SamrSetInformationAlias \
    SamrDeleteAlias SamrAddMemberToAlias SamrRemoveMemberFromAlias SamrGetMembersInAlias SamrOpenUser \
    SamrDeleteUser SamrQueryInformationUser SamrSetInformationUser SamrChangePasswordUser SamrGetGroupsForUser \
    SamrQueryDisplayInformation SamrGetDisplayEnumerationIndex SamrTestPrivateFunctionsDomain \
    SamrTestPrivateFunctionsUser SamrGetUserDomainPasswordInformation SamrRemoveMemberFromForeignDomain \
    SamrQueryInformationDomain2 SamrQueryInformationUser2 SamrQueryDisplayInformation2 \
    SamrGetDisplayEnumerationIndex2 SamrCreateUser2InDomain SamrQueryDisplayInformation3 \
    SamrAddMultipleMembersToAlias SamrRemoveMultipleMembersFromAlias SamrOemChangePasswordUser2 \
    SamrUnicodeChangePasswordUser2 SamrGetDomainPasswordInformation SamrConnect2 SamrSetInformationUser2 \
    SamrSetBootKeyInformation SamrGetBootKeyInformation SamrConnect3 SamrConnect4 SamrUnicodeChangePasswordUser3 \
    SamrConnect5 SamrRidToSid SamrSetDSRMPassword SamrValidatePassword SamrQueryLocalizableAccountsInDomain \
    SamrPerformGenericOperation";

const REPLICATION: &str = "DRSBind DRSUnbind DRSReplicaSync DRSGetNCChanges DRSUpdateRefs DRSReplicaAdd DRSReplicaDel \
    DRSReplicaModify DRSVerifyNames DRSGetMemberships DRSInterDomainMove DRSGetNT4ChangeLog DRSCrackNames \
    DRSWriteSPN DRSRemoveDsServer DRSRemoveDsDomain DRSDomainControllerInfo DRSAddEntry DRSExecuteKCC \
    DRSGetReplInfo DRSAddSidHistory DRSGetMemberships2 DRSReplicaVerifyObjects DRSGetObjectExistence \
    DRSQuerySitesByCost";

const DIRECTORY_SETUP: &str = "DsRolerGetPrimaryDomainInformation DsRolerDnsNameToFlatName DsRolerDcAsDc \
    DsRolerDcAsReplica DsRolerDemoteDc DsRolerGetDcOperationProgress DsRolerGetDcOperationResults DsRolerCancel \
    DsRolerServerSaveStateForUpgrade DsRolerUpgradeDownlevelServer DsRolerAbortDownlevelServerUpgrade";

const FILE_REPLICATION: &str = "FrsRpcSendCommPkt FrsRpcVerifyPromotionParent FrsRpcStartPromotionParent FrsNOP \
    FrsBackupComplete FrsBackupComplete FrsBackupComplete FrsBackupComplete FrsBackupComplete FrsBackupComplete \
    FrsRpcVerifyPromotionParentEx";

const SERVER: &str = "NetrCharDevEnum NetrCharDevGetInfo NetrCharDevControl NetrCharDevQEnum NetrCharDevQGetInfo \
    NetrCharDevQSetInfo NetrCharDevQPurge NetrCharDevQPurgeSelf NetrConnectionEnum NetrFileEnum NetrFileGetInfo \
    NetrFileClose NetrSessionEnum NetrSessionDel NetrShareAdd NetrShareEnum NetrShareGetInfo NetrShareSetInfo \
    NetrShareDel NetrShareDelSticky NetrShareCheck NetrServerGetInfo NetrServerSetInfo NetrServerDiskEnum \
    NetrServerStatisticsGet NetrServerTransportAdd NetrServerTransportEnum NetrServerTransportDel NetrRemoteTOD \
    NetrServerSetServiceBits NetprPathType NetprPathCanonicalize NetprPathCompare NetprNameValidate \
    NetprNameCanonicalize NetprNameCompare NetrShareEnumSticky NetrShareDelStart NetrShareDelCommit \
    NetrpGetFileSecurity NetrpSetFileSecurity NetrServerTransportAddEx NetrServerSetServiceBitsEx \
    NetrDfsGetVersion NetrDfsCreateLocalPartition NetrDfsDeleteLocalPartition NetrDfsSetLocalVolumeState \
    NetrDfsSetServerInfo NetrDfsCreateExitPoint NetrDfsDeleteExitPoint NetrDfsModifyPrefix \
    NetrDfsFixLocalVolume NetrDfsManagerReportSiteInfo NetrServerTransportDelEx - NetrServerAliasEnum \
    NetrServerAliasDel NetrShareDelEx";

const WORKSTATION: &str = "NetrWkstaGetInfo NetrWkstaSetInfo NetrWkstaUserEnum NetrWkstaUserGetInfo \
    NetrWkstaUserSetInfo NetrWkstaTransportEnum NetrWkstaTransportAdd NetrWkstaTransportDel NetrUseAdd \
    NetrUseGetInfo NetrUseDel NetrUseEnum NetrMessageBufferSend NetrWorkstationStatisticsGet \
    NetrLogonDomainNameAdd NetrLogonDomainNameDel NetrJoinDomain NetrUnjoinDomain NetrValidateName \
    NetrRenameMachineInDomain NetrGetJoinInformation NetrGetJoinableOUs NetrJoinDomain2 NetrUnjoinDomain2 \
    NetrRenameMachineInDomain2 NetrValidateName2 NetrGetJoinableOUs2 NetrAddAlternateComputerName \
    NetrRemoveAlternateComputerName NetrSetPrimaryComputerName NetrEnumerateComputerNames \
    NetrWorkstationResetDfsCache";

const DFS: &str = "NetrDfsManagerGetVersion NetrDfsAdd NetrDfsRemove NetrDfsSetInfo NetrDfsGetInfo NetrDfsEnum \
    NetrDfsRename NetrDfsMove NetrDfsManagerGetConfigInfo NetrDfsManagerSendSiteInfo NetrDfsAddFtRoot \
    NetrDfsRemoveFtRoot NetrDfsAddStdRoot NetrDfsRemoveStdRoot NetrDfsManagerInitialize NetrDfsAddStdRootForced \
    NetrDfsGetDcAddress NetrDfsSetDcAddress NetrDfsFlushFtTable NetrDfsAdd2 NetrDfsRemove2 NetrDfsEnumEx \
    NetrDfsSetInfo2";

const BROWSER: &str = "BrowserrServerEnum BrowserrDebugCall BrowserrQueryOtherDomains BrowserrResetNetlogonState \
    BrowserrDebugTrace BrowserrQueryStatistics BrowserrResetStatistics NetrBrowserStatisticsClear \
    NetrBrowserStatisticsGet BrowserrSetNetlogonState BrowserrQueryEmulatedDomains BrowserrServerEnumEx";

const SERVICES: &str = "CloseServiceHandle ControlService DeleteService LockServiceDatabase \
    QueryServiceObjectSecurity SetServiceObjectSecurity QueryServiceStatus SetServiceStatus \
    UnlockServiceDatabase NotifyBootConfigStatus ScSetServiceBitsW ChangeServiceConfigW CreateServiceW \
    EnumDependentServicesW EnumServicesStatusW OpenSCManagerW OpenServiceW QueryServiceConfigW \
    QueryServiceLockStatusW StartServiceW GetServiceDisplayNameW GetServiceKeyNameW ScSetServiceBitsA \
    ChangeServiceConfigA CreateServiceA EnumDependentServicesA EnumServicesStatusA OpenSCManagerA OpenServiceA \
    QueryServiceConfigA QueryServiceLockStatusA StartServiceA GetServiceDisplayNameA GetServiceKeyNameA \
    ScGetCurrentGroupStateW EnumServiceGroupW ChangeServiceConfig2A ChangeServiceConfig2W QueryServiceConfig2A \
    QueryServiceConfig2W QueryServiceStatusEx EnumServicesStatusExA EnumServicesStatusExW ScSendTSMessage \
    CreateServiceWOW64A CreateServiceWOW64W ScQueryServiceTagInfo NotifyServiceStatusChange GetNotifyResult \
    CloseNotifyHandle ControlServiceExA ControlServiceExW ScSendPnPMessage ScValidatePnPService \
    ScOpenServiceStatusHandle";

const REGISTRY: &str = "OpenClassesRoot OpenCurrentUser OpenLocalMachine OpenPerformanceData OpenUsers \
    BaseRegCloseKey BaseRegCreateKey BaseRegDeleteKey BaseRegDeleteValue BaseRegEnumKey BaseRegEnumValue \
    BaseRegFlushKey BaseRegGetKeySecurity BaseRegLoadKey BaseRegNotifyChangeKeyValue BaseRegOpenKey \
    BaseRegQueryInfoKey BaseRegQueryValue BaseRegReplaceKey BaseRegRestoreKey BaseRegSaveKey \
    BaseRegSetKeySecurity BaseRegSetValue BaseRegUnLoadKey BaseInitiateSystemShutdown BaseAbortSystemShutdown \
    BaseRegGetVersion OpenCurrentConfig OpenDynData BaseRegQueryMultipleValues BaseInitiateSystemShutdownEx \
    BaseRegSaveKeyEx OpenPerformanceText OpenPerformanceNlsText BaseRegQueryMultipleValues2 BaseRegDeleteKeyEx";

const TASK_ACCOUNTS: &str = "SASetAccountInformation SASetNSAccountInformation SAGetNSAccountInformation \
    SAGetAccountInformation";

const TASKS: &str = "SchRpcHighestVersion SchRpcRegisterTask SchRpcRetrieveTask SchRpcCreateFolder \
    SchRpcSetSecurity SchRpcGetSecurity SchRpcEnumFolder SchRpcEnumTasks SchRpcEnumInstances \
    SchRpcGetInstanceInfo SchRpcStopInstance SchRpcStop SchRpcRun SchRpcDelete SchRpcRename \
    SchRpcScheduledRuntimes SchRpcGetLastRunInfo SchRpcGetTaskInfo";

const IDLE_TASKS: &str =
    "ItSrvRegisterIdleTask ItSrvUnregisterIdleTask ItSrvProcessIdleTasks ItSrvSetDetectionParameters";

const SHUTDOWN: &str = "BaseInitiateShutdown BaseAbortShutdown BaseInitiateShutdownEx";

const PRINTERS: &str = "RpcEnumPrinters RpcOpenPrinter RpcSetJob RpcGetJob RpcEnumJobs RpcAddPrinter \
    RpcDeletePrinter RpcSetPrinter RpcGetPrinter RpcAddPrinterDriver RpcEnumPrinterDrivers RpcGetPrinterDriver \
    RpcGetPrinterDriverDirectory RpcDeletePrinterDriver RpcAddPrintProcessor RpcEnumPrintProcessors \
    RpcGetPrintProcessorDirectory RpcStartDocPrinter RpcStartPagePrinter RpcWritePrinter RpcEndPagePrinter \
    RpcAbortPrinter RpcReadPrinter RpcEndDocPrinter RpcAddJob RpcScheduleJob RpcGetPrinterData RpcSetPrinterData \
    RpcWaitForPrinterChange RpcClosePrinter RpcAddForm RpcDeleteForm RpcGetForm RpcSetForm RpcEnumForms \
    RpcEnumPorts RpcEnumMonitors RpcAddPort RpcConfigurePort RpcDeletePort RpcCreatePrinterIC \
    RpcPlayGdiScriptOnPrinterIC RpcDeletePrinterIC RpcAddPrinterConnection RpcDeletePrinterConnection \
    RpcPrinterMessageBox RpcAddMonitor RpcDeleteMonitor RpcDeletePrintProcessor RpcAddPrintProvidor \
    RpcDeletePrintProvidor RpcEnumPrintProcessorDatatypes RpcResetPrinter RpcGetPrinterDriver2 \
    RpcClientFindFirstPrinterChangeNotification RpcFindNextPrinterChangeNotification \
    RpcFindClosePrinterChangeNotification RpcRouterFindFirstPrinterChangeNotificationOld RpcReplyOpenPrinter \
    RpcRouterReplyPrinter RpcReplyClosePrinter RpcAddPortEx RpcRemoteFindFirstPrinterChangeNotification \
    RpcSpoolerInit RpcResetPrinterEx RpcRemoteFindFirstPrinterChangeNotificationEx RpcRouterReplyPrinterEx \
    RpcRouterRefreshPrinterChangeNotification RpcSetAllocFailCount RpcSplOpenPrinter RpcAddPrinterEx RpcSetPort \
    RpcEnumPrinterData RpcDeletePrinterData RpcClusterSplOpen RpcClusterSplClose RpcClusterSplIsAlive \
    RpcSetPrinterDataEx RpcGetPrinterDataEx RpcEnumPrinterDataEx RpcEnumPrinterKey RpcDeletePrinterDataEx \
    RpcDeletePrinterKey RpcSeekPrinter RpcDeletePrinterDriverEx RpcAddPerMachineConnection \
    RpcDeletePerMachineConnection RpcEnumPerMachineConnections RpcXcvData RpcAddPrinterDriverEx \
    RpcSplOpenPrinter RpcGetSpoolFileInfo RpcCommitSpoolData RpcCloseSpoolFileHandle RpcFlushPrinter \
    RpcSendRecvBidiData RpcAddDriverCatalog RpcAddPrinterConnection2 RpcDeletePrinterConnection2 \
    RpcInstallPrinterDriverFromPackage RpcUploadPrinterDriverPackage RpcGetCorePrinterDrivers \
    RpcCorePrinterDriverInstalled RpcGetPrinterDriverPackagePath RpcReportJobProcessingProgress";

const ASYNC_PRINTERS: &str = "RpcAsyncOpenPrinter RpcAsyncAddPrinter RpcAsyncSetJob RpcAsyncGetJob \
    RpcAsyncEnumJobs RpcAsyncAddJob RpcAsyncScheduleJob RpcAsyncDeletePrinter RpcAsyncSetPrinter \
    RpcAsyncGetPrinter RpcAsyncStartDocPrinter RpcAsyncStartPagePrinter RpcAsyncWritePrinter \
    RpcAsyncEndPagePrinter RpcAsyncEndDocPrinter RpcAsyncAbortPrinter RpcAsyncGetPrinterData \
    RpcAsyncGetPrinterDataEx RpcAsyncSetPrinterData RpcAsyncSetPrinterDataEx RpcAsyncClosePrinter \
    RpcAsyncAddForm RpcAsyncDeleteForm RpcAsyncGetForm RpcAsyncSetForm RpcAsyncEnumForms \
    RpcAsyncGetPrinterDriver RpcAsyncEnumPrinterData RpcAsyncEnumPrinterDataEx RpcAsyncEnumPrinterKey \
    RpcAsyncDeletePrinterData RpcAsyncDeletePrinterDataEx RpcAsyncDeletePrinterKey RpcAsyncXcvData \
    RpcAsyncSendRecvBidiData RpcAsyncCreatePrinterIC RpcAsyncPlayGdiScriptOnPrinterIC RpcAsyncDeletePrinterIC \
    RpcAsyncEnumPrinters RpcAsyncAddPrinterDriver RpcAsyncEnumPrinterDrivers RpcAsyncGetPrinterDriverDirectory \
    RpcAsyncDeletePrinterDriver RpcAsyncDeletePrinterDriverEx RpcAsyncAddPrintProcessor \
    RpcAsyncEnumPrintProcessors RpcAsyncGetPrintProcessorDirectory RpcAsyncEnumPorts RpcAsyncEnumMonitors \
    RpcAsyncAddPort RpcAsyncSetPort RpcAsyncAddMonitor RpcAsyncDeleteMonitor RpcAsyncDeletePrintProcessor \
    RpcAsyncEnumPrintProcessorDatatypes RpcAsyncAddPerMachineConnection RpcAsyncDeletePerMachineConnection \
    RpcAsyncEnumPerMachineConnections RpcSyncRegisterForRemoteNotifications \
    RpcSyncUnRegisterForRemoteNotifications RpcSyncRefreshRemoteNotifications RpcAsyncGetRemoteNotifications \
    RpcAsyncInstallPrinterDriverFromPackage RpcAsyncUploadPrinterDriverPackage RpcAsyncGetCorePrinterDrivers \
    RpcAsyncCorePrinterDriverInstalled RpcAsyncGetPrinterDriverPackagePath RpcAsyncDeletePrinterDriverPackage \
    RpcAsyncReadPrinter RpcAsyncResetPrinter RpcAsyncGetJobNamedPropertyValue RpcAsyncSetJobNamedProperty \
    RpcAsyncDeleteJobNamedProperty RpcAsyncEnumJobNamedProperties RpcAsyncLogJobInfoForBranchOffice";

const EVENTS: &str = "ElfrClearELFW ElfrBackupELFW ElfrCloseEL ElfrDeregisterEventSource ElfrNumberOfRecords \
    ElfrOldestRecord ElfrChangeNotify ElfrOpenELW ElfrRegisterEventSourceW ElfrOpenBELW ElfrReadELW \
    ElfrReportEventW ElfrClearELFA ElfrBackupELFA ElfrOpenELA ElfrRegisterEventSourceA ElfrOpenBELA ElfrReadELA \
    ElfrReportEventA ElfrRegisterClusterSvc ElfrDeregisterClusterSvc ElfrWriteClusterEvents \
    ElfrGetLogInformation ElfrFlushEL ElfrReportEventAndSourceW";

const DNS_SERVER: &str = "DnssrvOperation DnssrvQuery DnssrvComplexOperation DnssrvEnumRecords DnssrvUpdateRecord \
    DnssrvOperation2 DnssrvQuery2 DnssrvComplexOperation2 DnssrvEnumRecords2 DnssrvUpdateRecord2";

const NAME_SERVICE: &str = "NspiBind NspiUnbind NspiUpdateStat NspiQueryRows NspiSeekEntries NspiGetMatches \
    NspiResortRestriction NspiDNToEph NspiGetPropList NspiGetProps";

const MAPI: &str = "EcDoConnect EcDoDisconnect EcDoRpc EcGetMoreRpc EcRRegisterPushNotification \
    EcRUnregisterPushNotification EcDummyRpc EcRGetDCName EcRNetGetDCName EcDoRpcExt EcDoConnectEx EcDoRpcExt2 \
    EcUnknown0xC EcUnknown0xD EcDoAsyncConnectEx";

const WINS: &str = "R_WinsRecordAction R_WinsStatus R_WinsTrigger R_WinsDoStaticInit R_WinsDoScavenging \
    R_WinsGetDbRecs R_WinsTerm R_WinsBackup R_WinsDelDbRecs R_WinsPullRange R_WinsSetPriorityClass \
    R_WinsResetCounters R_WinsWorkerThdUpd R_WinsGetNameAndAdd R_WinsGetBrowserNames_Old R_WinsDeleteWins \
    R_WinsSetFlags R_WinsGetDbRecsByName R_WinsStatusWHdl R_WinsDoScavengingNew";

const MESSENGER: &str = "NetrMessageNameAdd NetrMessageNameEnum NetrMessageNameGetInfo NetrMessageNameDel";
